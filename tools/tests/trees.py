"""Runs one of the checks on a small tree of files made for the purpose."""

import pathlib
import subprocess
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[1]


def check(tool, files):
    """(exit code, lines printed) of tools/`tool` on a tree with these files: path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = pathlib.Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        done = subprocess.run([TOOLS / tool, folder], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{tool} broke: {done.stderr}")
    return done.returncode, done.stdout.splitlines()
