"""The name and version of the engine; asking the installed package would take longer than the whole handshake."""

NAME = "Adversary"
VERSION = "0.2.0"
