"""Trains, exports and measures the models that Sightline ships: an object localizer and a coarse classifier."""
