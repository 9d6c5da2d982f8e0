"""What is told of a whole run: its summary, the steps where something happened, and one that another process writes."""
