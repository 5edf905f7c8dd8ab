"""A figure that takes no time, for tests of what is done with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limen_lab.reproduce.figure import Axis, Curve, Figure, Panel, Point, Points, Scale, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator


class Small:
    """Counts how often it is measured; is interrupted while `interrupted` is set."""

    def __init__(self, name: str = "bmq-10", *, reached: bool = True, explanation: str = "") -> None:
        self.measured: list[Scale] = []
        self.interrupted = False
        self.verdict = Verdict("ours | is <faster>", "2 ×", reached, explanation)
        self.figure = Figure(
            name=name,
            title="times & more",
            source="a paper, Figure 10",
            panels=(
                Panel("a", "Time", Axis("queries", log=True), Axis("time", "µs", log=True)),
                Panel("b", "Costs", Axis("operation"), Axis("cost", "ns"), ("insert", "delete")),
            ),
            curves=(Curve("rival"), Curve("other rival"), Curve("ours", ours=True)),
            measure=self.measure,
            judge=self.judge,
            setting={"full": "as in the paper", "quick": "smaller"},
        )

    def measure(self, scale: Scale) -> Iterator[Point]:
        self.measured.append(scale)
        for number, curve in enumerate(("rival", "other rival", "ours"), start=1):
            for x in (1_000, 2_000, 4_000):
                yield Point("a", curve, x, x / number / 7)
            if self.interrupted:
                raise KeyboardInterrupt
            for x in (0, 1):
                yield Point("b", curve, x, number + x)

    def judge(self, points: Points) -> Iterator[Verdict]:
        assert len(points) == 15
        yield self.verdict
