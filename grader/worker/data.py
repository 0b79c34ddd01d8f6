"""Probes to come."""

PROBES: dict = {}
