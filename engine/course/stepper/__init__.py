"""Own trees: read from text, searched step by step, drawn, and asked about."""
