"""Work on a real API server: ours by wire_bench, the peers' by roles of the Go program.

Each source starts a server of its own, fresh, and ends it. Ours and the peers take turns on it.
"""

import dataclasses
import json
import pathlib
import signal
import subprocess

from berth_bench import figures, programs

IN_FLIGHT = 64
POSTS, BINDS = 20_000, 3_000
WARM_UP = 2_000  # requests to a server that has just begun
PODS, CHANGES = 50_000, 10_000

# A server takes 400 reads and 200 writes at once unless told otherwise; a benchmark of clients
# shall not measure that.
SERVER_ARGS = ("--max-requests-inflight=3000", "--max-mutating-requests-inflight=1500")


class Server:
    """etcd and kube-apiserver on loopback, for a `with`."""

    def __init__(self, controlplane):
        self._controlplane = controlplane

    def __enter__(self):
        args = [word for arg in SERVER_ARGS for word in ("--server-arg", arg)]
        self._process = subprocess.Popen(
            [self._controlplane, "cluster", "--with-parent", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.kubeconfig = self._process.stdout.readline().strip()
        if not self.kubeconfig:
            _, complaints = self._process.communicate()
            raise SystemExit(f"bench/run: no API server: {complaints.strip()}")
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate()


@dataclasses.dataclass
class Wire:
    """What the sources have in common: the two programs, and how a report becomes readings."""

    controlplane: pathlib.Path
    programs: pathlib.Path

    def command_for(self, _reading):
        """No single program gives it: it takes a server."""
        return ["bench/run", "--only", self.figures]

    def label(self):
        return self.figures

    def readings(self):
        return {
            reading
            for figure in figures.wire_figures()
            if figure.name.startswith(self.figures)
            for reading in figure.readings()
        }

    def load(self, server, work, count):
        """client-go, so many in flight."""
        text = programs.output_of(
            [self.controlplane, "load", "--kubeconfig", server.kubeconfig, "--work", work]
            + ["--count", str(count), "--in-flight", str(IN_FLIGHT)]
        )
        return json.loads(text)

    def ours(self, server, work, count):
        text = programs.output_of(
            [self.programs / "wire_bench", work, "--kubeconfig", server.kubeconfig]
            + ["--count", str(count), "--in-flight", str(IN_FLIGHT)]
        )
        return json.loads(text) if text else None


def cost(name, report):
    """rate: items a second; cpu: nanoseconds an item; memory: growth at its highest, in bytes."""
    items = report["items"]
    return {
        figures.wire_reading(name, "rate"): items / report["seconds"],
        figures.wire_reading(name, "cpu"): report["cpu_seconds"] * 1e9 / items,
        figures.wire_reading(name, "memory"): growth(report),
    }


def growth(report):
    return report["peak_rss_bytes"] - report["start_rss_bytes"]


class Posts(Wire):
    figures = "wire.posts"
    rounds_max = 3

    def run(self, _needed):
        with Server(self.controlplane) as server:
            self.load(server, "configmaps", WARM_UP)
            theirs = self.load(server, "configmaps", POSTS)
            ours = self.ours(server, "posts", POSTS)
        return {**cost("go-posts", theirs), **cost("posts", ours)}


class Binds(Wire):
    figures = "wire.binds"
    rounds_max = 3

    def run(self, _needed):
        with Server(self.controlplane) as server:
            kubectl = [self.controlplane, "kubectl", "--kubeconfig", server.kubeconfig]
            crds = ["-f", pathlib.Path(__file__).parents[2] / "deploy/crds"]
            programs.output_of([*kubectl, "create", *crds])
            wait = ["wait", "--for=condition=established", "--timeout=60s"]
            programs.output_of([*kubectl, *wait, *crds])
            self.load(server, "configmaps", WARM_UP)
            # Ours first: it follows what is there, and the others leave pods behind.
            self.ours(server, "orders", BINDS)
            ours = self.ours(server, "binds", BINDS)
            theirs = self.load(server, "bind", BINDS)
            alone = self.load(server, "bindings", BINDS)
        return {**cost("go-bindings", alone), **cost("go-binds", theirs), **cost("binds", ours)}


class Follow(Wire):
    """The pods are made once, which takes longer than all the rest; hence two turns on them."""

    figures = "wire.follow"
    rounds_max = 1
    turns = 2

    def run(self, _needed):
        readings = {}
        with Server(self.controlplane) as server:
            self.load(server, "pods", PODS)
            kubeconfig = ["--kubeconfig", server.kubeconfig]
            go = [self.controlplane, "informer", *kubeconfig, "--events", str(CHANGES)]
            berth = [self.programs / "wire_bench", "follow", *kubeconfig, "--count", str(CHANGES)]
            for _ in range(self.turns):
                for name, command in (("go-follow", go), ("follow", berth)):
                    for reading, value in self.follow(server, name, command).items():
                        readings[reading] = min(value, readings.get(reading, value))
        return readings

    def follow(self, server, name, command):
        """A line when all pods are listed, another after the changes that are then made."""
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            listed = process.stdout.readline()
            if listed:
                self.load(server, "bindings", CHANGES // 2)  # each pod is created, then bound
            followed = process.stdout.read()
        if process.returncode != 0:
            raise SystemExit(f"bench/run: exit code {process.returncode} of {command[1]}")
        return follow_cost(name, json.loads(listed), json.loads(followed))


def follow_cost(name, listed, followed):
    return {
        figures.wire_reading(name, "list"): listed["seconds"] * 1e9,
        figures.wire_reading(name, "list cpu"): listed["cpu_seconds"] * 1e9,
        figures.wire_reading(name, "cpu"): followed["cpu_seconds"] * 1e9 / CHANGES,
        # Since the process began: the second line has the highest of both.
        figures.wire_reading(name, "memory"): followed["peak_rss_bytes"] - listed["start_rss_bytes"],
    }


def sources(controlplane, folder):
    return [kind(controlplane, folder) for kind in (Posts, Binds, Follow)]
