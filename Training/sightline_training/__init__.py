"""Trains, exports and measures the models that Sightline ships."""
