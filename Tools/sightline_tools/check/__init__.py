"""Checks of sources, pages and programs."""
