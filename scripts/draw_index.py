"""Draw docs/concepts/index.svg: the two lists of the border index and one move over them.

Run it by hand when the picture changes; the documentation only shows the result.
"""

from pathlib import Path

# Queries of the picture: name, lower end, upper end. The stream moves up from A to B.
QUERIES = [
    ("q1", 4, 30), ("q2", 9, 44), ("q3", 15, 24), ("q4", 27, 37), ("q5", 33, 41),
    ("q6", 40, 64), ("q7", 47, 57), ("q8", 51, 80), ("q9", 68, 92),
]  # fmt: skip
A, B = 22, 54
BLOCK = 3

LEFT, SCALE = 90, 7.2
ENTER, EXIT, PLAIN, SHADE = "#00796b", "#c62828", "#78909c", "#eceff1"


def x(value: float) -> float:
    """Return the horizontal position of a value."""
    return LEFT + SCALE * value


def text(
    left: float, top: float, content: str, color: str = "#37474f", anchor: str = "middle", size: int = 13
) -> str:
    """Return one line of text."""
    font = f'font-family="sans-serif" font-size="{size}"'
    return f'<text x="{left:.1f}" y="{top:.1f}" fill="{color}" text-anchor="{anchor}" {font}>{content}</text>'


def line(x1: float, y1: float, x2: float, y2: float, color: str, style: str = "") -> str:
    """Return one stroke."""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{color}" stroke-width="2" {style}/>'


def color_of(lo: float, hi: float) -> str:
    """Tell by colour what the move from A to B means to a query."""
    if A < lo <= B < hi:
        return ENTER
    if lo <= A < hi <= B:
        return EXIT
    return PLAIN


def intervals(top: float) -> list[str]:
    """Draw the queries above the axis, and the move between two dashed lines."""
    size = f'width="{x(B) - x(A):.1f}" height="{len(QUERIES) * 20 + 60}"'
    parts = [f'<rect x="{x(A):.1f}" y="{top - 30}" {size} fill="{SHADE}"/>']
    for row, (name, lo, hi) in enumerate(QUERIES):
        y = top + 20 * row
        color = color_of(lo, hi)
        parts += [line(x(lo), y, x(hi), y, color), text(x(lo) - 16, y + 4, name, color)]
        parts.append(f'<circle cx="{x(lo):.1f}" cy="{y}" r="4" fill="{color}"/>')
        parts.append(
            f'<circle cx="{x(hi):.1f}" cy="{y}" r="4" fill="white" stroke="{color}" stroke-width="2"/>'
        )
    axis = top + 20 * len(QUERIES) + 10
    parts.append(line(x(0), axis, x(100), axis, "#37474f"))
    parts.append(line(x(A), axis + 22, x(B) - 8, axis + 22, "#37474f", 'marker-end="url(#arrow)"'))
    for name, value in (("a", A), ("b", B)):
        parts.append(line(x(value), top - 30, x(value), axis, "#37474f", 'stroke-dasharray="4 4"'))
        parts.append(text(x(value), top - 36, name))
    return parts


def entries(top: float, title: str, near: int, far: int, bound: str) -> list[str]:
    """Draw one list: entries in order of their near end, each with its far end, in blocks with a bound."""
    ordered = sorted(QUERIES, key=lambda query: query[near])
    width = 72
    parts = [text(LEFT - 14, top + 26, title, anchor="end")]
    for place, query in enumerate(ordered):
        left = LEFT + place * width + (place // BLOCK) * 16
        inside = A < query[near] <= B
        color = color_of(query[1], query[2])
        reported = color == (ENTER if near == 1 else EXIT)
        stroke = color if reported else PLAIN
        fill = SHADE if inside else "white"
        parts.append(
            f'<rect x="{left}" y="{top}" width="{width - 4}" height="44" rx="4" fill="{fill}" '
            f'stroke="{stroke}" stroke-width="{3 if reported else 1}"/>'
        )
        parts.append(text(left + width / 2 - 2, top + 19, f"{query[near]}", size=14))
        parts.append(text(left + width / 2 - 2, top + 36, f"{query[0]}, {query[far]}", stroke, size=12))
    for block in range(0, len(ordered), BLOCK):
        values = [query[far] for query in ordered[block : block + BLOCK]]
        limit = max(values) if bound == "max" else min(values)
        left = LEFT + block * width + (block // BLOCK) * 16
        parts.append(line(left, top + 52, left + BLOCK * width - 4, top + 52, "#37474f"))
        parts.append(text(left + BLOCK * width / 2, top + 68, f"{bound} {limit}", size=12))
    return parts


def picture() -> str:
    """Return the whole drawing."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 840 510">',
        '<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="4" refY="4" orient="auto">',
        '<path d="M0,0 L8,4 L0,8 z" fill="#37474f"/></marker></defs>',
        '<rect width="840" height="510" fill="white"/>',
        *intervals(60),
        *entries(310, "starts", 1, 2, "max"),
        *entries(400, "ends", 2, 1, "min"),
        text(LEFT, 495, "entered: a &lt; lo ≤ b and hi &gt; b", ENTER, "start"),
        text(LEFT + 330, 495, "left: a &lt; hi ≤ b and lo ≤ a", EXIT, "start"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "docs/concepts/index.svg"
    target.write_text(picture(), encoding="utf-8")
