"""Chess for people: SAN and FEN input, displayed scores, the evaluation table."""
