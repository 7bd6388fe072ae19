"""The version of the project; asking the installed package for it would take longer than the whole handshake."""

NAME = "Adversary"
VERSION = "0.1.0"
