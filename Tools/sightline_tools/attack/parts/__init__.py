"""The attacks, a file for each part of the hub."""
