"""The headless commands, a file for each group; `engine.cli` puts them together."""
