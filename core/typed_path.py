"""A path as a person types it."""

import os.path
from pathlib import Path


def typed_path(text: str) -> Path:
    """With `~` as a home; as it stands where nobody knows that user, for which pathlib has an error of its own."""
    return Path(os.path.expanduser(text))  # noqa: PTH111
