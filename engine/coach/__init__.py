"""What a coach does with one's own games: puzzles, repertoires, reports, a schedule of repetitions, and progress."""
