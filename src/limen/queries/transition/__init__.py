"""Transition queries (BMQ-Processor, section 6): passed, returned, stayed and gone."""
