"""Benchmarks of live result sets."""
