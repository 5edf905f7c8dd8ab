"""Benchmarks of patterns."""
