"""Answers to questions about a model or a dataset: frozen records of numpy and plain Python, free of torch."""
