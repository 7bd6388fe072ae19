"""Endgame tables: with few men left, the engine knows the result without searching."""
