"""Kernels of the answers that are measured."""
