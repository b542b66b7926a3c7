"""Hubs whose surroundings fail."""
