"""Draw docs/concepts/index.svg: five ranges, their two edge lists, and one move over them.

Run it by hand when the picture changes; the documentation only shows the result.
"""

from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """An entry of an edge list."""

    own: float
    other: float
    query: str


QUERIES = {"Q1": (1, 3), "Q2": (1, 7), "Q3": (1, 4), "Q4": (2, 5), "Q5": (6, 8)}
BEFORE, AFTER = 4.5, 7.5

WIDTH, HEIGHT, LEFT, UNIT = 860, 560, 150, 74
MINUS = "\N{MINUS SIGN}"
ENTER, EXIT, PLAIN, INK, SHADE = "#00796b", "#c62828", "#78909c", "#37474f", "#e3eaed"


def text(x: float, y: float, content: str, color: str = INK, anchor: str = "middle", size: int = 15) -> str:
    """Return one line of text."""
    font = f'font-family="sans-serif" font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}" {font}>{content}</text>'


def line(x1: float, y1: float, x2: float, y2: float, color: str = INK, style: str = "") -> str:
    """Return one stroke."""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{color}" stroke-width="2.5" {style}/>'


def box(x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", thick: int = 1) -> str:
    """Return a rectangle."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"'
    return f'<rect {place} fill="{fill}" stroke="{stroke}" stroke-width="{thick}"/>'


def color_of(lo: float, hi: float) -> str:
    """Tell by colour what the move means to a range."""
    was, now = lo <= BEFORE < hi, lo <= AFTER < hi
    return PLAIN if was == now else ENTER if now else EXIT


def ranges(top: float) -> list[str]:
    """Draw the ranges over their axis, with the move shaded."""
    at = {value: LEFT + UNIT * value for value in [*range(10), BEFORE, AFTER]}
    axis = top + 34 * len(QUERIES)
    parts = [box(at[BEFORE], top - 26, at[AFTER] - at[BEFORE], axis - top + 26, SHADE)]
    for row, (name, (lo, hi)) in enumerate(QUERIES.items()):
        y, color = top + 34 * row, color_of(lo, hi)
        parts += [line(at[lo], y, at[hi], y, color), text(at[lo] - 12, y + 5, name, color, "end")]
        parts.append(f'<circle cx="{at[lo]}" cy="{y}" r="5" fill="{color}"/>')
        parts.append(f'<circle cx="{at[hi]}" cy="{y}" r="5" fill="white" stroke="{color}" stroke-width="2.5"/>')
    parts.append(line(at[0], axis, at[9], axis))
    for value in range(10):
        parts += [line(at[value], axis, at[value], axis + 6), text(at[value], axis + 24, str(value))]
    parts.append(line(at[BEFORE], axis + 44, at[AFTER] - 10, axis + 44, INK, 'marker-end="url(#arrow)"'))
    parts.append(text(at[BEFORE] - 8, axis + 49, f"from {BEFORE}", anchor="end"))
    parts.append(text(at[AFTER] + 8, axis + 49, f"to {AFTER}", anchor="start"))
    return parts


def number(value: float, *, mirrored: bool) -> str:
    """Write a bound; in the mirrored list it is the next larger float, which a raised plus says."""
    return f"{MINUS}{-value:g}⁺" if mirrored else f"{value:g}"


def edge_list(top: float, *, mirrored: bool) -> list[str]:
    """Draw one list: entries in order of `own`; what the move passes is shaded, what it finds has a frame."""
    entries = [Entry(-hi, -lo, name) if mirrored else Entry(lo, hi, name) for name, (lo, hi) in QUERIES.items()]
    entries.sort(key=lambda entry: entry.own)
    low, high = sorted((-BEFORE, -AFTER) if mirrored else (BEFORE, AFTER))
    title, sign = ("along the mirrored axis", MINUS) if mirrored else ("along the axis", "")
    move = f"the move is from {sign}{BEFORE} to {sign}{AFTER}"
    parts = [text(LEFT - 130, top - 14, f"{title}: {move}", anchor="start")]
    parts += [text(LEFT - 16, top + 21 + 24 * row, name, PLAIN, "end") for row, name in enumerate(Entry._fields)]
    width = 96
    for place, entry in enumerate([None, *entries, None]):
        left = LEFT + place * width
        if entry is None:
            own = f"{MINUS}∞" if place == 0 else "∞"
            parts.append(box(left, top, width - 8, 80, "white", "#cfd8dc"))
            parts += [
                text(left + 44, top + 21, own, PLAIN),
                text(left + 44, top + 45, "sentinel", PLAIN, size=12),
            ]
            continue
        passed = low < entry.own + 1e-9 <= high
        found = passed and entry.other > high
        color = color_of(*QUERIES[entry.query]) if found else PLAIN
        fill, thick = SHADE if passed else "white", 3 if found else 1
        parts.append(box(left, top, width - 8, 80, fill, color, thick))
        parts.append(text(left + 44, top + 21, number(entry.own, mirrored=mirrored)))
        parts.append(text(left + 44, top + 45, number(entry.other, mirrored=mirrored)))
        parts.append(text(left + 44, top + 69, entry.query, color if found else INK))
    return parts


def picture() -> str:
    """Return the whole drawing."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        '<defs><marker id="arrow" markerWidth="6" markerHeight="6" refX="3" refY="3" orient="auto">',
        f'<path d="M0,0 L6,3 L0,6 z" fill="{INK}"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *ranges(40),
        *edge_list(300, mirrored=False),
        *edge_list(430, mirrored=True),
        text(LEFT - 130, 543, "shaded: passed by the move", PLAIN, "start"),
        text(LEFT + 110, 543, "framed: changed sides,", PLAIN, "start"),
        text(LEFT + 298, 543, "entered", ENTER, "start"),
        text(LEFT + 364, 543, "or", PLAIN, "start"),
        text(LEFT + 388, 543, "left", EXIT, "start"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "docs/concepts/index.svg"
    target.write_text(picture(), encoding="utf-8")
