"""Tests of the documentation: what the pages say is true, and what they should say is there."""
