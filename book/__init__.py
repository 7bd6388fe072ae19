"""The opening book: the first moves are looked up, not searched."""
