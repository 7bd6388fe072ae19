"""What people ask about positions and games: lines, mistakes, accuracy, words."""
