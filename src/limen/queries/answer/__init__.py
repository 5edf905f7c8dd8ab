"""Live result sets (`Within`, `Nearest`): kept up to date by add and remove (SOLE)."""
