"""The evaluation: a weighted sum of features, or a neural network, both tuned on games."""
