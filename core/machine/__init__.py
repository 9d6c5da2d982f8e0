"""The machine and the process we run in: memory, processor, signals."""
