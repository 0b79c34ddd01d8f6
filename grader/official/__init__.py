"""Runs a person's own copy of the course's tests offline, the reference beside the submission."""
