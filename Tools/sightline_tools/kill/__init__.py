"""Programs that are killed at random moments."""
