"""Tests of the opening book."""
