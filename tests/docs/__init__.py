"""Tests of the documentation: it is true and complete."""
