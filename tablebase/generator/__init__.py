"""Making endgame tables: retrograde analysis, ending by ending, in a folder that remembers what is done."""
