"""Damaged files, read by child processes within limits."""
