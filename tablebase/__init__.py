"""Endgame tables: near the end of the game the engine knows instead of searching."""
