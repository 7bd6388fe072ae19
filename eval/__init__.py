"""The evaluation: a weighted sum of features, learned from games."""
