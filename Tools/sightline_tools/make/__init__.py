"""Pages and pictures that follow from the code."""
