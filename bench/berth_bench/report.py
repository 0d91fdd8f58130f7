"""The results as a table, for a terminal and in Markdown."""

from berth_bench import figures

HEADINGS = ("figure", "value", "peer", "its value", "times better", "goal")


def number(value):
    """Three digits, or all of them before the point; empty for None."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _goals(row, decided):
    return "; ".join(
        f"{goal.text(row)}: {'met' if goal.is_met(row) else 'MISSED'}"
        for goal, its_row in decided
        if its_row is row
    )


def cells(rows):
    """A line of the table for each row; a figure is named once."""
    last, decided = None, list(figures.decided(rows))
    for row in rows:
        value = f"{number(row['value'])} {row['unit']}"
        is_new = row["name"] != last
        last = row["name"]
        yield (
            row["name"] if is_new else "",
            value if is_new else "",
            row["peer"] or "",
            number(row["peer_value"]),
            number(row["ratio"]),
            _goals(row, decided),
        )


def table(rows):
    lines = [HEADINGS, *cells(rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    left = {0, 2, 5}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def markdown(rows):
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|---:|---|---:|---:|---|"]
    for line in cells(rows):
        name, *rest = line
        lines.append("| " + " | ".join([f"`{name}`" if name else "", *rest]) + " |")
    return "\n".join(lines)


def goals_line(rows):
    """How many goals were met; goals whose figure was not measured are not counted as met."""
    decided = list(figures.decided(rows))
    met = sum(goal.is_met(row) for goal, row in decided)
    left = len(figures.GOALS) - len(decided)
    return f"goals: {met} met, {len(decided) - met} missed" + (
        f", {left} not measured" if left else ""
    )
