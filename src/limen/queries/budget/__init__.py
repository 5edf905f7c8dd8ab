"""Live result sets under a memory budget: uncertainty caching and load shedding (SOLE, sections 4 to 6)."""
