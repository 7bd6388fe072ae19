"""The learned policy: a small network that says which moves deserve a look."""
