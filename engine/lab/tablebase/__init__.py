"""Endgame tables, checked and measured."""
