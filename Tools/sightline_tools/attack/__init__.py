"""Attacks on a hub, each of which must fail."""
