"""How a cost grows with the size of the world: lines on two logarithmic scales, as SVG."""

import dataclasses
import html
import math

from berth_bench.report import number

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT, TOP, BOTTOM = 90, 240, 64, 70  # what stays free around the drawing
INK, FAINT = "#1c2128", "#d8dee6"


@dataclasses.dataclass
class Curve:
    label: str
    color: str
    points: list  # of (x, y), x ascending


@dataclasses.dataclass
class Mark:
    """A goal: a point the curve should stay below."""

    x: float
    y: float
    label: str


class Axis:
    """Value -> place between two pixels, logarithmic, from power to power of ten."""

    def __init__(self, values, begin, end):
        self._low = math.floor(math.log10(min(values)))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._begin, self._end = begin, end

    def at(self, value):
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def powers(self):
        return [10.0**power for power in range(self._low, self._high + 1)]


def render(title, subtitle, curves, x_labels, marks=()):
    """`x_labels`: x -> what is written below it; there are no other ticks on that axis."""
    x_axis = Axis(list(x_labels), LEFT, WIDTH - RIGHT)
    heights = [y for curve in curves for _, y in curve.points] + [mark.y for mark in marks]
    y_axis = Axis(heights, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(16, 22, title, "start", weight=700, size=15),
        _text(16, 40, subtitle, "start"),
    ]
    for tick in y_axis.powers():
        y = y_axis.at(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{FAINT}"/>')
        parts.append(_text(LEFT - 8, y + 4, number(tick), "end", size=10))
    for x, label in x_labels.items():
        at = x_axis.at(x)
        parts.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{FAINT}"/>')
        parts.append(_text(at, HEIGHT - BOTTOM + 18, label, "middle", size=11))
    for mark in marks:
        parts += _mark(x_axis.at(mark.x), y_axis.at(mark.y), mark.label)
    for curve in curves:
        parts += _curve(curve, x_axis, y_axis)
    parts += _legend(curves)
    return "\n".join([*parts, "</svg>\n"])


def _curve(curve, x_axis, y_axis):
    places = [(x_axis.at(x), y_axis.at(y), y) for x, y in curve.points]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
    yield f'<path d="M{line}" fill="none" stroke="{curve.color}" stroke-width="2"/>'
    for x, y, value in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{curve.color}"/>'
        yield _text(x - 7, y - 7, number(value), "end", size=10)


def _mark(x, y, label):
    yield f'<path d="M{x - 14:.1f} {y:.1f}h28" stroke="{INK}" stroke-width="1.5"/>'
    yield _text(x + 18, y + 4, label, "start", size=10)


def _legend(curves):
    for row, curve in enumerate(curves):
        y = TOP + 8 + 22 * row
        x = WIDTH - RIGHT + 40
        yield f'<path d="M{x} {y}h22" stroke="{curve.color}" stroke-width="2"/>'
        yield _text(x + 28, y + 4, curve.label, "start", size=11)


def _text(x, y, text, anchor, weight=400, size=12):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
        f'font-size="{size}" fill="{INK}">{html.escape(text)}</text>'
    )
