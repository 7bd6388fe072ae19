"""What all searches share: interface, limits and results, scores, time management, parameters, modes."""
