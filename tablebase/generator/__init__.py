"""Generating endgame tables: retrograde analysis, ending by ending, in a folder that records what is done."""
