"""What is read from a run: its summary, its curves as they grow, and the steps where something happened."""
