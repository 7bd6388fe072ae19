"""What a coach does with one's own games: puzzles, repertoires, a schedule of repetitions, and progress."""
