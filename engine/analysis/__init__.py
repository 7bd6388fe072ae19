"""Analysis of positions and games: lines, reviews, marks, accuracy, explanations."""
