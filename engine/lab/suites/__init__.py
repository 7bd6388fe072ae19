"""Test suites that come with the engine, and the reading of others."""
