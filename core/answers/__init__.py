"""Answers to questions about the model: frozen records of numpy and plain Python, free of torch."""
