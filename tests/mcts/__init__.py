"""Tests of the tree searches."""
