"""Looks at this machine and the homeworks in a folder: what the grader needs, and how to mend it."""
