"""What a validation's figures are of: the losses of all sentences of the split, those of outputs of its first ones."""

from __future__ import annotations

from dataclasses import dataclass

# Sentences that a validation decodes at the most: it must not cost more than the steps between two.
NUM_FREE_RUNNING = 256


@dataclass(frozen=True)
class Validated:
    """The valid split of a run: how many sentences it has, and how many of them a validation decodes."""

    sentences: int

    @property
    def decoded(self) -> int:
        """Of so many, the first ones, valid/bleu is, and whatever else is measured of outputs."""
        return min(self.sentences, NUM_FREE_RUNNING)

    @property
    def is_partial(self) -> bool:
        """Whether some are not decoded."""
        return self.decoded < self.sentences

    def as_fields(self) -> dict[str, int]:
        """For a record of figures."""
        return {"valid_sentences": self.sentences, "decoded_sentences": self.decoded}
