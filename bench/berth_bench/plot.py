"""The results as drawings, one SVG file for each family of figures: horizontal bars, and lines for
what grows with the size of the world."""

import dataclasses
import html
import math

from berth_bench import curves, figures
from berth_bench.report import number

WIDTH, LABELS, VALUES, MARGIN = 800, 200, 140, 16
BAR, BAR_GAP, GROUP_GAP, HEADING, TOP = 16, 4, 14, 20, 68
OURS, THEIRS, INK, FAINT = "#1f6feb", "#9aa4b2", "#1c2128", "#d8dee6"
OURS_LIGHT = "#79b0ff"

# From this ratio of the longest to the shortest bar on, a linear scale shows too little.
LOG_FROM = 30


@dataclasses.dataclass
class Bar:
    label: str
    value: float
    is_ours: bool
    note: str = ""


@dataclasses.dataclass
class Group:
    heading: str  # empty: none
    bars: list


def family_of(name):
    """Which plot a figure belongs to; all figures of a plot have one unit."""
    parts = name.split(".")
    if parts[:2] == ["volumes", "event"]:
        return "volumes.event"
    if parts[0] == "wire":
        return name
    if parts[0] != "decode":
        return ".".join([parts[0], *(part for part in parts if part == "memory")])
    return ".".join(["decode", parts[1], "memory" if parts[-1] == "memory" else "time"])


def plots(rows):
    """family -> SVG text."""
    families = {}
    for row in rows:
        families.setdefault(family_of(row["name"]), []).append(row)
    return {
        family: (
            render_growth(its)
            if family == GROWING
            else render(family, its[0]["unit"], groups_of(its))
        )
        for family, its in families.items()
    }


GROWING = "volumes"


def render_growth(rows):
    """Placing a pod, ours and the plugin's, over the size of the world."""
    sizes = {figures.world_name(*world): world[0] * world[1] for world in figures.WORLDS}
    series = {"every node's reasons": {}, "nodes and one plan": {}}
    plugin = {}
    for row in rows:
        kind, world = row["name"].split(".")[1:]
        label = "nodes and one plan" if kind == "filter" else "every node's reasons"
        series[label][sizes[world]] = row["value"]
        if row["peer"] == figures.GO_PLUGIN:
            plugin[sizes[world]] = row["peer_value"]
    drawn = [
        curves.Curve(figures.GO_PLUGIN, THEIRS, sorted(plugin.items())),
        curves.Curve("Berth, every node's reasons", OURS_LIGHT, sorted(series["every node's reasons"].items())),
        curves.Curve("Berth, nodes and one plan", OURS, sorted(series["nodes and one plan"].items())),
    ]
    goals = [
        curves.Mark(sizes[goal.name.split(".")[2]], goal.value_max, f"goal, one plan: {number(goal.value_max)}")
        for goal in figures.GOALS
        if goal.name.startswith("volumes.filter.") and goal.value_max
    ]
    return curves.render(
        "volumes: placing a pod with one local volume",
        "µs of processor time a pod over nodes × volumes; both scales logarithmic",
        [curve for curve in drawn if curve.points],
        {sizes[figures.world_name(*world)]: f"{world[0]:,} × {world[1]:,}" for world in figures.WORLDS},
        goals,
    )


def groups_of(rows):
    groups = {}
    for row in rows:
        if row["name"] not in groups:
            # A figure without peers is one bar with its own name; the title says the family.
            label = "Berth" if row["peer"] else row["name"].partition(".")[2]
            heading = row["name"] if row["peer"] else ""
            groups[row["name"]] = Group(heading, [Bar(label, row["value"], True)])
        if row["peer"]:
            note = f"({number(row['ratio'])}×)" if row["ratio"] is not None else ""
            groups[row["name"]].bars.append(Bar(row["peer"], row["peer_value"], False, note))
    return list(groups.values())


class Scale:
    """Value -> length of its bar. A logarithmic one begins at a power of ten below all values."""

    def __init__(self, values, length):
        positive = [value for value in values if value > 0]
        self.is_log = bool(positive) and max(positive) / min(positive) >= LOG_FROM
        self._length = length
        self._high = max(positive, default=1)
        self._low = 10 ** (math.ceil(math.log10(min(positive))) - 1) if self.is_log else 0

    def length(self, value):
        if not self.is_log:
            return self._length * value / self._high
        if value <= self._low:
            return 0
        return self._length * math.log(value / self._low) / math.log(self._high / self._low)

    def ticks(self):
        if not self.is_log:
            step = 10 ** math.floor(math.log10(self._high))
            step = next(
                step * part for part in (1, 0.5, 0.2, 0.1) if self._high / (step * part) >= 3
            )
            return [step * number for number in range(int(self._high / step) + 1)]
        first, last = round(math.log10(self._low)), math.floor(math.log10(self._high))
        return [10.0**power for power in range(first, last + 1)]


def render(title, unit, groups):
    scale = Scale(
        [bar.value for group in groups for bar in group.bars], WIDTH - LABELS - VALUES - 2 * MARGIN
    )
    body, y = [], TOP
    for group in groups:
        if group.heading:
            body.append(_text(MARGIN, y + 13, group.heading, "start", weight=600))
            y += HEADING
        for bar in group.bars:
            body += _bar(bar, y, scale)
            y += BAR + BAR_GAP
        y += GROUP_GAP if group.heading else 0
    height = y + MARGIN
    better = "longer" if unit == figures.PER_SECOND else "shorter"
    subtitle = f"{unit}, {better} is better" + (", logarithmic scale" if scale.is_log else "")
    if any(bar.note for group in groups for bar in group.bars):
        subtitle += "; in brackets: how many times better ours is"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        _text(MARGIN, 22, title, "start", weight=700, size=15),
        _text(MARGIN, 40, subtitle, "start"),
    ]
    for tick in scale.ticks():
        x = MARGIN + LABELS + scale.length(tick)
        head.append(f'<path d="M{x:.1f} {TOP - 4}V{height - MARGIN}" stroke="{FAINT}"/>')
        head.append(_text(x, TOP - 8, number(tick), "middle", size=10))
    return "\n".join([*head, *body, "</svg>\n"])


def _bar(bar, y, scale):
    x, length = MARGIN + LABELS, scale.length(bar.value)
    fill = OURS if bar.is_ours else THEIRS
    return [
        _text(x - 6, y + 12, bar.label, "end"),
        f'<rect x="{x}" y="{y}" width="{max(length, 1):.1f}" height="{BAR}" fill="{fill}"/>',
        _text(x + length + 6, y + 12, f"{number(bar.value)} {bar.note}".rstrip(), "start"),
    ]


def _text(x, y, text, anchor, weight=400, size=12):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
        f'font-size="{size}" fill="{INK}">{html.escape(text)}</text>'
    )
