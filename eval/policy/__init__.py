"""The policy: a small network that gives the tree search its move priors."""
