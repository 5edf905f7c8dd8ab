"""Common parts of the charts of reports: colours, fonts, and PNG output."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#0b6e69", "#b5451b", "#3b4cc0", "#7a5195", "#8a6d00", "#444444", "#c51b7d", "#1b7837")
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "hatch.linewidth": 0.6,
    # a character missing from the font must not silently become an empty box
    "font.family": "DejaVu Sans",
}


def as_png(canvas: Figure) -> bytes:
    """Return a picture as a PNG file."""
    file = io.BytesIO()
    canvas.savefig(file, format="png")
    return file.getvalue()


def tick(value: float, _position: int | None = None) -> str:
    """Format a tick label, without powers of ten where possible.

    Examples
    --------
    >>> tick(32000), tick(0.25), tick(2e7)
    ('32,000', '0.25', '2e+07')
    """
    return f"{value:,.7g}" if 1 <= abs(value) < 10_000_000 else f"{value:.4g}"
