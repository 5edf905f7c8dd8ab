"""Query families, one folder each: operator, indexes and kernels."""
