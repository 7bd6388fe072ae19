"""The UCI protocol: session, go command, parsing, output, fallback move and debug commands."""
