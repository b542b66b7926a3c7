"""Programs that fuzz, kill, attack and check Sightline, and that write pages from its code."""
