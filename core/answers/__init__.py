"""What questions about the model are answered with: frozen records of numpy and plain Python, free of torch."""
