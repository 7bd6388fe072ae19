"""The learned network: its file, the kernels that play with it, the trainer that makes it."""
