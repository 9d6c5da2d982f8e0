"""Which sentences a validation's figures are of: losses of the whole split, metrics of outputs of its first ones."""

from __future__ import annotations

from dataclasses import dataclass

# The most sentences that a validation decodes: it must not cost more than the steps between two validations.
NUM_FREE_RUNNING = 256


@dataclass(frozen=True)
class ValidationSize:
    """The valid split of a run: how many sentences it has, and how many of them a validation decodes."""

    sentences: int

    @property
    def decoded(self) -> int:
        """How many of the first sentences are decoded: valid/bleu and all other metrics of outputs are of these."""
        return min(self.sentences, NUM_FREE_RUNNING)

    @property
    def is_partial(self) -> bool:
        """Whether some are not decoded."""
        return self.decoded < self.sentences

    def as_fields(self) -> dict[str, int]:
        """These numbers, as fields of a record of figures."""
        return {"valid_sentences": self.sentences, "decoded_sentences": self.decoded}
