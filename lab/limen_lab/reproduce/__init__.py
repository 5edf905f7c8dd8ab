"""The laboratory: the experiments of the papers, run here, beside what the papers say of them."""
