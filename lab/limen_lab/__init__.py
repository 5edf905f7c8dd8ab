"""Limen's laboratory: benchmarks, rival indexes and the papers' figures, measured again."""
