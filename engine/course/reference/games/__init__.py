"""Games to try the algorithms on: small ones whose values are known, and chess."""
