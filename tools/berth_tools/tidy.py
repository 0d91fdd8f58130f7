"""clang-tidy on every C++ file, remembering which contents were clean.

Sources get all checks of .clang-tidy. Headers are checked as files of their own too: each must
compile alone and include what it uses.
"""

import concurrent.futures
import functools
import hashlib
import json
import pathlib
import re
import shlex
import subprocess

from berth_tools import sources, steps
from berth_tools.paths import CACHE, ROOT

TOOL = "clang-tidy-19"
CLEAN = CACHE / "tidy"  # one empty file for each content found clean

HEADER_CHECKS = "-*,clang-diagnostic-*,misc-include-cleaner"
# What may be repaired without looking; other checks' repairs change meaning now and then.
FIXABLE_CHECKS = "-*,misc-include-cleaner"
# Too slow for every change, and the analyzer spends minutes in GoogleTest's macros: for the sources
# of the product, when asked for.
DEEP_CHECKS = "clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,performance-*"

_FINDING = re.compile(r"^/[^:]+:\d+:\d+: (?:warning|error): .*", re.MULTILINE)


def check_all(compile_commands, is_deep):
    """Prints every finding once and returns the number of files that have any."""
    commands = _Commands(compile_commands)
    paths = _paths()
    unbuilt = [path for path in paths if path.suffix == ".cc" and not commands.has(path)]
    for path in unbuilt:
        print(f"{path}: no target compiles this file")

    checks = {path: _checks(path, is_deep) for path in paths if path not in unbuilt}
    keys = {path: _key(path, [*checks[path], *commands.flags(path)]) for path in checks}
    todo = [path for path, key in keys.items() if not (CLEAN / key).exists()]
    print(f"clang-tidy: {len(keys)} files, {len(keys) - len(todo)} unchanged since they were clean")
    CLEAN.mkdir(parents=True, exist_ok=True)

    with concurrent.futures.ThreadPoolExecutor(steps.jobs()) as pool:
        futures = {pool.submit(_check, path, checks[path], commands.flags(path)): path for path in todo}
        dirty, seen = 0, set()
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            path = futures[future]
            print(f"[{number}/{len(todo)}] {path}", flush=True)
            code, output = future.result()
            if code == 0:
                (CLEAN / keys[path]).touch()
            else:
                dirty += 1
                _print_new(output, seen)
    return dirty + len(unbuilt)


def fix_includes(compile_commands):
    """Adds and removes includes in place, one file after the other."""
    commands = _Commands(compile_commands)
    for path in _paths():
        command = [TOOL, "--quiet", "--fix", "--format-style=file", f"--checks={FIXABLE_CHECKS}"]
        subprocess.run([*command, str(path), "--", *commands.flags(path)], cwd=ROOT)


def _paths():
    return sources.files(ROOT, (".h", ".cc"), folders=("src", "tests", "fuzz", "bench"))


class _Commands:
    """How the build compiles each file; a header is compiled as a source beside it."""

    def __init__(self, compile_commands):
        self._flags = {}
        for entry in json.loads(pathlib.Path(compile_commands).read_text()):
            path = pathlib.Path(entry["file"])
            if path.is_relative_to(ROOT):
                self._flags[path.relative_to(ROOT)] = self._clean(entry)

    def has(self, path):
        return path in self._flags

    def flags(self, path):
        if path.suffix == ".h":
            return [*self._flags[self._nearest(path)], "-x", "c++-header"]
        return self._flags[path]

    def _nearest(self, header):
        """The source that shares the longest path with the header, a test only if need be."""

        def likeness(path):
            shared = [a == b for a, b in zip(path.parts, header.parts)] + [False]
            return shared.index(False), not path.name.endswith("_test.cc"), path.as_posix()

        return max(self._flags, key=likeness)

    @staticmethod
    def _clean(entry):
        """The flags alone: no launcher, no compiler, no input, no output."""
        words = shlex.split(entry["command"])
        start = next(i for i, word in enumerate(words) if "clang++" in word) + 1
        flags = []
        skip = False
        for word in words[start:]:
            if skip or word in ("-o", "-c"):
                skip = word == "-o"
            elif word != entry["file"]:
                flags.append(word)
        return flags


def _checks(path, is_deep):
    """The argument that chooses the checks of a file, unless those of .clang-tidy will do."""
    if path.suffix == ".h":
        return [f"--checks={HEADER_CHECKS}"]
    if is_deep and path.is_relative_to("src") and not path.name.endswith("_test.cc"):
        return [f"--checks={DEEP_CHECKS}"]
    return []


def _check(path, checks, flags):
    """(exit code, what clang-tidy printed)"""
    command = [TOOL, "--quiet", *checks, str(path), "--", *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout or done.stderr


def _print_new(output, seen):
    """Prints the findings not printed before: a header's come back with every file using it."""
    starts = [match.start() for match in _FINDING.finditer(output)]
    if not starts:
        print(output)
    for begin, end in zip(starts, starts[1:] + [len(output)]):
        finding = output[begin:end].rstrip()
        if finding not in seen:
            seen.add(finding)
            print(finding.removeprefix(f"{ROOT}/"), flush=True)


def _key(path, flags):
    """Everything a verdict depends on."""
    digest = hashlib.sha256()
    for part in (*_surroundings(), *flags):
        digest.update(part.replace(str(ROOT), "").encode() + b"\0")
    for file in sorted(_closure(path)):
        digest.update(f"{file}\0".encode() + (ROOT / file).read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def _surroundings():
    version = subprocess.run([TOOL, "--version"], capture_output=True, text=True, check=True)
    packages = subprocess.run(["dpkg-query", "-W", "*-dev"], capture_output=True, text=True)
    rules = [ROOT / ".clang-tidy", *sorted(ROOT.glob("*/.clang-tidy")), pathlib.Path(__file__)]
    return version.stdout, packages.stdout, *(path.read_text() for path in rules)


@functools.cache
def _includes(path):
    """The files of the repository that a file includes directly."""
    found = set()
    for match in sources.INCLUDE.finditer((ROOT / path).read_text()):
        header = match[1] or match[2]
        for folder in (path.parent, pathlib.Path("src"), pathlib.Path(".")):
            if (ROOT / folder / header).is_file():
                found.add(folder / header)
                break
    return found


def _closure(path):
    found, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            todo += _includes(file)
    return found
