"""Kernels of the stream table."""
