"""Runs the libFuzzer targets of a build, several at a time."""

import concurrent.futures
import os
import re
import subprocess

from berth_tools import steps
from berth_tools.paths import BUILD, LOGS, ROOT
from berth_tools.tally import Tally

SEEDS = ROOT / "fuzz" / "corpus"  # committed
FOUND = BUILD / "fuzz-corpus"  # inputs found by earlier runs, one folder a target
CRASHES = BUILD / "fuzz-crashes"

INPUT_SECONDS_MAX = 10
MEMORY_MB_MAX = 2048


def targets():
    """The names of all fuzz targets: one source file each."""
    return sorted(path.stem for path in (ROOT / "fuzz").glob("*_fuzz.cc"))


def build():
    """True when every target was built."""
    return steps.run("fuzz: build", ["tools/build", "fuzz", *targets()], "fuzz-build.log") == 0


def run_all(preset, seconds, seed=0):
    """Fuzzes each target of the preset for that long; a target is one test. Seed 0 draws another
    one each time."""
    names = targets()
    if not names:
        return Tally(failed=["fuzz: there are no targets"])
    print(f"fuzz: {len(names)} targets, {seconds} s each, {steps.jobs()} at a time", flush=True)
    total = Tally()
    with concurrent.futures.ThreadPoolExecutor(steps.jobs()) as pool:
        futures = {pool.submit(_run, BUILD / preset / "fuzz" / name, seconds, seed): name for name in names}
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            problem, report = future.result()
            print(f"fuzz: {number}/{len(names)} {futures[future]}: {problem or report}", flush=True)
            if problem:
                total.failed.append(f"fuzz: {futures[future]}: {problem}")
            else:
                total.passed += 1
    return total


def _run(program, seconds, seed):
    """(problem or None, report) of one target."""
    name = program.name
    seeds, found = SEEDS / name, FOUND / name
    if not program.exists():
        return f"{program.relative_to(ROOT)} was not built", None
    if not any(seeds.glob("*")):
        return f"no seeds in {seeds.relative_to(ROOT)}/", None
    found.mkdir(parents=True, exist_ok=True)
    CRASHES.mkdir(parents=True, exist_ok=True)
    LOGS.mkdir(parents=True, exist_ok=True)

    log_path = LOGS / f"{name}.log"
    with open(log_path, "w") as log:
        code = subprocess.run(
            [
                program,
                f"-seed={seed}",
                f"-max_total_time={seconds}",
                f"-timeout={INPUT_SECONDS_MAX}",
                f"-rss_limit_mb={MEMORY_MB_MAX}",
                f"-artifact_prefix={CRASHES}/{name}-",
                "-print_final_stats=1",
                found,
                seeds,
            ],
            env=dict(os.environ, ASAN_SYMBOLIZER_PATH="/usr/bin/llvm-symbolizer-19"),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        ).returncode
    if code != 0:
        steps.show_tail(log_path)
        return f"failed; the input is in {CRASHES.relative_to(ROOT)}/", None

    runs = re.search(r"number_of_executed_units:\s*(\d+)", log_path.read_text(errors="replace"))
    if not runs or int(runs[1]) == 0:
        return "executed nothing", None
    return None, f"{int(runs[1]):,} inputs"
