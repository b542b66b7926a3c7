"""Pages in a headless browser, used as a stranger uses them, with drawn photos that may be shown."""
