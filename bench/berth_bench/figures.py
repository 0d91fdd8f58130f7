"""What is measured: every figure, the peers it stands beside, and the goals.

A reading is one number a program gives in one round, in nanoseconds, in bytes or a second, known by a
name. A figure is a reading of ours beside readings of peers, in the unit people want to see.
"""

import dataclasses
import statistics

NS, US, S, US_PER_POD, BYTES, MIB = "ns", "µs", "s", "µs/pod", "bytes", "MiB"
PER_SECOND = "/s"  # the only unit of which more is better
_BASE_PER_UNIT = {
    NS: 1, US: 1e3, S: 1e9, US_PER_POD: 1e3, BYTES: 1, MIB: 2**20, PER_SECOND: 1
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    unit: str
    reading: str
    peers: tuple = ()  # of (what the peer is called, its reading)

    def readings(self):
        return {self.reading, *(reading for _, reading in self.peers)}


@dataclasses.dataclass(frozen=True)
class Goal:
    """A figure is at least `ratio_min` times as good as the peer, or at most `value_max`."""

    name: str
    peer: str | None = None
    ratio_min: float | None = None
    value_max: float | None = None

    def is_met(self, row):
        if self.value_max is not None:
            return row["value"] <= self.value_max
        return row["ratio"] is not None and row["ratio"] >= self.ratio_min

    def text(self, row):
        if self.value_max is not None:
            return f"at most {self.value_max:,} {row['unit']}"
        return f"at least {self.ratio_min:,}×"


GO_GENERATED, GO_STANDARD, GO_CLIENT = "Go generated", "Go encoding/json", "Go client"
GO_PLUGIN = "VolumeBinding plugin"
CLIENT_GO, GO_INFORMER = "client-go", "client-go informer"
SAME_WRITES, BINDING_ALONE = "client-go, same writes", "client-go, binding alone"

# Go's decoders are judged bare, without the client's layers around them, which cost them more.
GOALS = (
    Goal("decode.protobuf.list", GO_GENERATED, ratio_min=4),
    Goal("decode.protobuf.each", GO_GENERATED, ratio_min=4),
    Goal("decode.json.list", GO_STANDARD, ratio_min=10),
    Goal("decode.json.each", GO_STANDARD, ratio_min=10),
    Goal("node_selector.5000", value_max=100),
    Goal("informer.cached_pod.memory", value_max=2000),
    Goal("volumes.filter.1000x3000", GO_PLUGIN, ratio_min=1000),
    Goal("volumes.filter.1000x3000", value_max=1000),
    Goal("volumes.filter.5000x50000", value_max=5000),
    Goal("volumes.event.volume.5000x50000", value_max=50),
    Goal("volumes.event.node.5000x50000", value_max=50),
    Goal("volumes.event.claim.5000x50000", value_max=50),
    Goal("wire.posts", CLIENT_GO, ratio_min=1),
    Goal("wire.posts.cpu", CLIENT_GO, ratio_min=2),
    Goal("wire.binds", SAME_WRITES, ratio_min=0.9),
    Goal("wire.follow.list", GO_INFORMER, ratio_min=2),
    Goal("wire.follow.memory", GO_INFORMER, ratio_min=3),
)


def decided(rows):
    """(goal, the row of the results that decides it), for every goal of which there is one."""
    for goal in GOALS:
        for row in rows:
            if goal.name == row["name"] and goal.peer in (None, row["peer"]):
                yield goal, row
                break


def time_of(mode):
    return f"{mode} time"


def memory_of(mode):
    return f"{mode} memory"


_GO = {
    "protobuf": ((GO_GENERATED, "unmarshal"), (GO_CLIENT, "client")),
    "json": ((GO_STANDARD, "encoding-json"), (GO_CLIENT, "client")),
}
_TREES = (
    ("RapidJSON tree", "rapidjson-list"),
    ("Boost.JSON tree", "boost-json-list"),
    ("nlohmann tree", "nlohmann-list"),
)
MODES = [mode for _, mode in _TREES] + [
    f"berth-{encoding}-{shape}{cached}"
    for encoding in _GO
    for shape in ("list", "each")
    for cached in ("", "-cached")
]


def _decode_peers(encoding, shape, cached):
    peers = [(label, f"go-{encoding}-{shape}-{decoder}") for label, decoder in _GO[encoding]]
    if cached:
        return [("Berth, whole pods", f"berth-{encoding}-{shape}"), *peers]
    if (encoding, shape) == ("json", "list"):
        peers += _TREES
    return peers


def decode_figures(with_go=True):
    """Time and memory of both encodings; without Go what remains, its peers left out."""
    for encoding in _GO:
        for shape in ("list", "each"):
            for cached in ("", "cached"):
                parts = [part for part in (encoding, shape, cached) if part]
                name, mode = ".".join(["decode", *parts]), "-".join(["berth", *parts])
                peers = [
                    (label, peer)
                    for label, peer in _decode_peers(encoding, shape, cached)
                    if with_go or not peer.startswith("go-")
                ]
                for suffix, unit, of in (("", US_PER_POD, time_of), (".memory", MIB, memory_of)):
                    its_peers = tuple((label, of(peer)) for label, peer in peers)
                    yield Figure(name + suffix, unit, of(mode), its_peers)


def wire_reading(work, what):
    return f"{work} {what}"


def wire_figures():
    """On a real API server."""

    def figure(name, unit, work, what, *peers):
        its_peers = tuple((label, wire_reading(peer, what)) for label, peer in peers)
        return Figure(name, unit, wire_reading(work, what), its_peers)

    posts = ("posts", ((CLIENT_GO, "go-posts"),))
    binds = ("binds", ((SAME_WRITES, "go-binds"), (BINDING_ALONE, "go-bindings")))
    for work, peers in (posts, binds):
        yield figure(f"wire.{work}", PER_SECOND, work, "rate", *peers)
        yield figure(f"wire.{work}.cpu", US, work, "cpu", *peers)
        yield figure(f"wire.{work}.memory", MIB, work, "memory", *peers)
    for name, unit, what in (
        ("list", S, "list"),
        ("list.cpu", S, "list cpu"),
        ("change.cpu", US, "cpu"),
        ("memory", MIB, "memory"),
    ):
        yield figure(f"wire.follow.{name}", unit, "follow", what, (GO_INFORMER, "go-follow"))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How a google-benchmark program names ours and the peer: a part between slashes."""

    ours: str
    theirs: str
    peer: str
    unit: str


# By program, without "_bench". A program that is not here has no peers.
COMPARISONS = {
    "node_set": Comparison("node_set", "vector_bool", "std::vector<bool>", NS),
    "node_selector": Comparison("indexed", "node_by_node", "node by node", US),
    "runtime": Comparison("berth", "asio", "Asio awaitable", NS),
    "timer": Comparison("berth", "asio", "Asio awaitable", NS),
    "crowd": Comparison("crowd", "alone", "the same alone", NS),
}

# A benchmark with this part in its name gives the bytes it counted instead of its time.
MEMORY = "memory"


def benchmark_figures(program, benchmarks):
    """One figure for each benchmark "and/node_set/5000" of a google-benchmark program."""
    family = program.removesuffix("_bench")
    comparison = COMPARISONS.get(family)
    unit = comparison.unit if comparison else NS
    for benchmark in benchmarks:
        parts = benchmark.split("/")
        if comparison and comparison.theirs in parts:
            continue
        peers = ()
        if comparison and comparison.ours in parts:
            theirs = "/".join(
                comparison.theirs if part == comparison.ours else part for part in parts
            )
            if theirs in benchmarks:
                peers = ((comparison.peer, f"{program} {theirs}"),)
            parts.remove(comparison.ours)
        its_unit = BYTES if MEMORY in parts else unit
        yield Figure(".".join([family, *parts]), its_unit, f"{program} {benchmark}", peers)


# Nodes and volumes of the worlds in which pods are placed.
WORLDS = ((100, 300), (300, 900), (1000, 3000), (5000, 50000))


def world_name(nodes, volumes):
    return f"{nodes}x{volumes}"


def plugin_cpu(world):
    return f"go-volume-filter {world} cpu"


def volume_figures(program, benchmarks, with_go=True):
    """One figure for each benchmark "filter/100x300" of volumes_bench, the worlds by size.

    The plugin has to look at every node to answer, so its time stands beside both of ours: the
    nodes and the plan of one (filter), and what each node says (reasons).
    """
    order = [world_name(*world) for world in WORLDS]
    its_world = {
        benchmark: next((part for part in benchmark.split("/") if part in order), None)
        for benchmark in benchmarks
    }
    for benchmark in sorted(
        (benchmark for benchmark in benchmarks if its_world[benchmark]),
        key=lambda benchmark: order.index(its_world[benchmark]),
    ):
        parts, world = benchmark.split("/"), its_world[benchmark]
        peers = ()
        if with_go and parts[0] in ("filter", "reasons"):
            peers = ((GO_PLUGIN, plugin_cpu(world)),)
        unit = BYTES if MEMORY in parts else US
        yield Figure(".".join(["volumes", *parts]), unit, f"{program} {benchmark}", peers)


def without_readings(figures, readings):
    """The figures without the peers that need one of these."""
    for figure in figures:
        peers = tuple((peer, reading) for peer, reading in figure.peers if reading not in readings)
        yield dataclasses.replace(figure, peers=peers)


def rows(figures, samples, commands):
    """The results: a row for each figure and peer.

    `samples`: reading -> its values over the rounds; `commands`: reading -> what gives it.
    """
    for figure in figures:
        value = _best(samples[figure.reading], figure.unit)
        for peer, reading in figure.peers or ((None, None),):
            peer_value = _best(samples[reading], figure.unit) if reading else None
            yield {
                "name": figure.name,
                "value": _rounded(value),
                "unit": figure.unit,
                "peer": peer,
                "peer_value": _rounded(peer_value),
                "ratio": _rounded(_times_better(value, peer_value, figure.unit)),
                "command": commands[figure.reading],
            }


def _best(values, unit):
    """Of the rounds the least disturbed: whatever else the machine does only ever makes it worse."""
    best = max(values) if unit == PER_SECOND else min(values)
    return best / _BASE_PER_UNIT[unit]


def _times_better(value, peer_value, unit):
    if peer_value is None or not value or not peer_value:
        return None
    return value / peer_value if unit == PER_SECOND else peer_value / value


def _rounded(value):
    return None if value is None else float(f"{value:.4g}")


def spreads(samples):
    """reading -> how far its rounds lie apart, as a share of the median."""
    return {
        reading: (max(values) - min(values)) / statistics.median(values)
        for reading, values in samples.items()
        if statistics.median(values) > 0
    }
