"""What is graded: the questions of each homework, their points and their checks, as tables."""
