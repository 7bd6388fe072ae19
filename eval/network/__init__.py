"""The neural network: its file, the kernels that evaluate with it, and the trainer."""
