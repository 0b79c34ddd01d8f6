"""The grader packed for the place that runs it: Gradescope, Docker, PrairieLearn, a student's machine."""
