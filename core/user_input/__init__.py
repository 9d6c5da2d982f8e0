"""Reads what people write, strictly, and says what is wrong with it in the words they used."""
