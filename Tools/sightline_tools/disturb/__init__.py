"""Programs whose surroundings fail."""
