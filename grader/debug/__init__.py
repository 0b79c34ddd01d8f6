"""Finds a fault: one check recorded, written as plain needle calls, run in the foreground, explained."""
