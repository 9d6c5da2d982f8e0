"""The parts of a run that grows while it is watched: curves, probes, the metrics file, what was read of it lately."""
