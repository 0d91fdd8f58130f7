"""The C++ sources of a repository: which files there are, and their text without comments."""

import pathlib
import re

FOLDERS = ("src", "tests", "fuzz", "bench", "cmake")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# Order matters: whatever begins first in the text wins, so quotes inside comments and comment
# marks inside strings are not misread.
_TOKEN = re.compile(
    r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | (?P<raw> (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)" )
  | (?P<string> "(?:\\.|[^"\\\n])*" )
  | (?P<character> (?<![0-9A-Fa-f_])'(?:\\.|[^'\\\n])+' )
    """,
    re.VERBOSE | re.DOTALL,
)


def files(root, suffixes, folders=FOLDERS):
    """The paths below `root` with one of the suffixes, relative to it, sorted."""
    root = pathlib.Path(root)
    found = []
    for folder in folders:
        for suffix in suffixes:
            found += (root / folder).rglob("*" + suffix)
    return sorted(path.relative_to(root) for path in found)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def without_comments(text):
    """The text with comments blanked; lines keep their numbers."""
    return _TOKEN.sub(lambda match: _blank(match) if match["comment"] else match[0], text)


def code_only(text):
    """The text with comments and the content of literals blanked; lines keep their numbers."""
    return _TOKEN.sub(_blank, text)


def _blank(match):
    return " " + "\n" * match[0].count("\n")
