"""Long steps: run a command, keep its output in a log, say what it does and how far it is."""

import os
import re
import subprocess
import sys
import time

from berth_tools.paths import LOGS, ROOT

TAIL_LINES = 60
PLAIN_EVERY_S = 5

# "[12/80] Building..." of ninja and " 12/80 Test #12: ..." of ctest.
_PROGRESS = re.compile(r"^\s*\[?(\d+/\d+)\]?\s+(.*)")


def is_ci():
    return os.environ.get("CI") == "true"


def jobs():
    return len(os.sched_getaffinity(0))


def run(title, command, log_name, environment=None, tail=True):
    """Runs the command in the root of the repository; returns its exit code.

    Its output goes to build/logs/`log_name`; when it fails, the end of that is shown, unless the
    caller knows better (`tail=False`).
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log_path = LOGS / log_name
    progress = _Progress(title)
    with open(log_path, "w") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=dict(os.environ, **(environment or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        for line in process.stdout:
            log.write(line)
            match = _PROGRESS.match(line)
            if match:
                progress.show(match[1], match[2])
        code = process.wait()
    progress.finish(code)
    if code != 0 and tail:
        show_tail(log_path)
    return code


def show_tail(log_path):
    lines = log_path.read_text(errors="replace").splitlines()[-TAIL_LINES:]
    print(f"--- the end of {log_path.relative_to(ROOT)}:")
    print("\n".join(lines))
    print("---", flush=True)


class _Progress:
    """One line rewritten in place on a terminal, a plain line now and then elsewhere."""

    def __init__(self, title):
        self._title = title
        self._in_place = sys.stdout.isatty() and not is_ci()
        self._begin = time.monotonic()
        self._shown = self._begin
        self._say("...")

    def show(self, how_far, what):
        if self._in_place:
            self._say(f"{how_far} {what}")
        elif time.monotonic() - self._shown >= PLAIN_EVERY_S:
            self._shown = time.monotonic()
            self._say(f"{how_far}")

    def finish(self, code):
        seconds = time.monotonic() - self._begin
        self._say("done" if code == 0 else "FAILED", f" in {seconds:.0f} s")
        if self._in_place:
            print(flush=True)

    def _say(self, *texts):
        line = f"{self._title}: {''.join(texts)}"
        if self._in_place:
            width = os.get_terminal_size().columns
            print("\r" + line[: width - 1] + "\x1b[K", end="", flush=True)
        else:
            print(line, flush=True)
