"""The programs that give readings, and how to run one of them for one round."""

import dataclasses
import json
import pathlib
import re
import shlex
import subprocess

from berth_bench import figures

_NS_PER_TIME_UNIT = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def output_of(command):
    """What a command prints; ends the run when it fails."""
    text = shlex.join(map(str, command))
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise SystemExit(f"bench/run: {text}: {error.strerror}") from error
    if done.returncode != 0:
        raise SystemExit(f"bench/run: exit code {done.returncode} of {text}\n{done.stderr}")
    return done.stdout


@dataclasses.dataclass
class DecodeMode:
    """One mode of decode_bench: a process of its own, so that its memory is its own."""

    program: pathlib.Path
    mode: str
    input: pathlib.Path
    seconds: float

    def label(self):
        return self.mode

    def readings(self):
        return {figures.time_of(self.mode), figures.memory_of(self.mode)}

    def command_for(self, _reading):
        return [
            self.program,
            "--mode",
            self.mode,
            "--input",
            self.input,
            "--seconds",
            str(self.seconds),
        ]

    def run(self, _needed):
        return read_decode_mode(output_of(self.command_for(None)))


def read_decode_mode(text):
    return _of_decoder(json.loads(text), "")


def _of_decoder(report, prefix):
    mode = prefix + report["mode"]
    return {
        figures.time_of(mode): report["cpu_ns_per_pod"]["median"],
        figures.memory_of(mode): report["peak_rss_growth_bytes"],
    }


@dataclasses.dataclass
class GoDecoders:
    """Go's decoders, all of them in one process."""

    program: pathlib.Path
    protobuf: pathlib.Path
    json: pathlib.Path
    seconds: float

    def label(self):
        return "go decoders"

    def readings(self):
        return {
            reading
            for figure in figures.decode_figures()
            for _, reading in figure.peers
            if reading.startswith("go-")
        }

    def command_for(self, _reading):
        files = ["--pods", self.protobuf, "--json", self.json]
        return [
            self.program,
            "decode-bench",
            *files,
            "--rounds",
            "3",
            "--seconds",
            str(self.seconds),
        ]

    def run(self, _needed):
        return read_go_decoders(output_of(self.command_for(None)))


def read_go_decoders(text):
    readings = {}
    for mode in json.loads(text)["modes"]:
        readings |= _of_decoder(mode, "go-")
    return readings


@dataclasses.dataclass
class GoogleBenchmark:
    program: pathlib.Path
    benchmarks: list
    seconds: float

    def label(self):
        return self.program.name

    def readings(self):
        return {f"{self.program.name} {name}" for name in self.benchmarks}

    def command_for(self, *readings):
        names = [reading.partition(" ")[2] for reading in readings]
        pattern = "|".join(re.escape(name) for name in sorted(names))
        filter_ = f"--benchmark_filter=^({pattern})$"
        return [self.program, filter_, f"--benchmark_min_time={self.seconds}"]

    def run(self, needed):
        text = output_of([*self.command_for(*needed), "--benchmark_format=json"])
        return read_google_benchmark(self.program.name, text)


def read_google_benchmark(program, text):
    readings = {}
    for row in json.loads(text)["benchmarks"]:
        if row.get("error_occurred"):
            raise SystemExit(f"bench/run: {program} {row['name']}: {row.get('error_message')}")
        if figures.MEMORY in row["name"].split("/"):
            reading = row["bytes"]
        elif "cpu_ns" in row:  # counted by the benchmark itself: a part of what it does
            reading = row["cpu_ns"]
        else:
            reading = row["cpu_time"] * _NS_PER_TIME_UNIT[row["time_unit"]]
        readings[f"{program} {row['name']}"] = reading
    return readings


def google_benchmarks(folder, seconds):
    """Every *_bench program of the folder except those that are none of google-benchmark's."""
    for program in sorted(folder.glob("*_bench")):
        if program.name not in ("decode_bench", "wire_bench"):
            names = output_of([program, "--benchmark_list_tests=true"]).split()
            kind = VolumesBenchmark if program.name == VOLUMES_BENCH else GoogleBenchmark
            yield kind(program, names, seconds)


VOLUMES_BENCH = "volumes_bench"


@dataclasses.dataclass
class VolumesBenchmark(GoogleBenchmark):
    """It also says how many nodes it found for the first pods."""

    feasible: dict = dataclasses.field(default_factory=dict)  # world -> the counts

    def run(self, needed):
        text = output_of([*self.command_for(*needed), "--benchmark_format=json"])
        for row in json.loads(text)["benchmarks"]:
            counts = [row[key] for key in ("feasible_0", "feasible_1") if key in row]
            if counts:
                self.feasible.setdefault(row["name"].split("/")[-1], counts)
        return read_google_benchmark(self.program.name, text)


@dataclasses.dataclass
class VolumePlugin:
    """The real VolumeBinding plugin on one world."""

    program: pathlib.Path
    world: str
    file: pathlib.Path
    seconds: float
    feasible: dict = dataclasses.field(default_factory=dict)

    PATIENCE_S = 60  # for one pod

    def label(self):
        return f"VolumeBinding plugin {self.world}"

    def readings(self):
        return {figures.plugin_cpu(self.world)}

    def command_for(self, _reading, pods=1):
        return [
            self.program,
            "volume-filter",
            "--world",
            self.file,
            "--pods",
            str(pods),
            "--seconds",
            str(self.seconds if pods else 0),
            "--patience",
            f"{self.PATIENCE_S}s",
        ]

    def refusal(self):
        """Why it is left out, or None."""
        report = json.loads(output_of(self.command_for(None, pods=0)))
        if report["is_finished"]:
            return None
        return (
            f"The VolumeBinding plugin is left out at {self.world}: a pod would take it about "
            f"{report['estimated_ns_per_pod'] / 1e9:.0f} s, and the bound is {self.PATIENCE_S} s."
        )

    def run(self, _needed):
        report = json.loads(output_of(self.command_for(None)))
        self.feasible[self.world] = report["feasible"]
        return read_volume_plugin(self.world, report)


def read_volume_plugin(world, report):
    return {figures.plugin_cpu(world): report["cpu_ns_per_pod"]["mean"]}


def check_same_answers(sources):
    """Ends the run when two programs found a different number of nodes for the same pod."""
    found = {}
    for source in sources:
        for world, counts in getattr(source, "feasible", {}).items():
            known = found.setdefault(world, counts)
            if any(ours != theirs for ours, theirs in zip(known, counts)):
                raise SystemExit(f"bench/run: {world}: {known} nodes and {counts} nodes are found")
