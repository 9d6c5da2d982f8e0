"""The parts of a run that grows while it is watched: its curves, its metrics file, and what was read of it lately."""
