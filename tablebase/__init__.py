"""Endgame tables: the engine's own tables, their generator, and Syzygy tables."""
