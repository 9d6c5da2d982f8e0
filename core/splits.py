"""What a dataset is split into."""

HELD_OUT = ("valid", "test")
SPLITS = ("train", *HELD_OUT)
