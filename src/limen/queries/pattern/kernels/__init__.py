"""Kernels of patterns."""
