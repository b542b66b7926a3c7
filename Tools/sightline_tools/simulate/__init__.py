"""Simulations of what takes days or thousands of devices."""
