"""The panel of all heads, small: one row per layer, one column per head; choosing one shows it large."""

from __future__ import annotations

import numpy as np

from core.analysis.alignment import FOUND_SCORE, AlignedHead, Scores
from core.history import History
from gui.heads.disabled_heads import DisabledHeads
from gui.heads.head_picture import alignment_help
from gui.heads.head_row import HeadRow
from gui.panel import Table
from gui.panels.attention.grid_canvas import FOUND_SIGN, GridCanvas
from gui.panels.attention.sentence_panel import SentencePanel
from gui.sentences.selection import ATTENTION_KINDS, AttentionKind, Selection
from gui.sentences.shown_sentence import SentenceSource, ShownSentence
from gui.theme import Theme


class HeadGrid(SentencePanel):
    """Every layer and head for one sentence at step s, of all three kinds of attention or only the chosen kind.

    `all_kinds` and `with_entropy` may be changed at any time; the next drawing uses them.
    """

    title = "All heads"
    empty_sentence = "Every attention head appears here, small."
    is_picture = True

    def __init__(
        self,
        theme: Theme,
        selection: Selection,
        source: SentenceSource | None = None,
        *,
        all_kinds: bool,
        disabled_heads: DisabledHeads | None = None,
    ) -> None:
        """With `disabled_heads`, a menu switches heads off, and those that are off are crossed out."""
        super().__init__(theme, selection, source)
        self.all_kinds = all_kinds
        self.with_entropy = False
        self.canvas = GridCanvas(theme, selection, disabled_heads)
        self.title_label.setToolTip(
            f"{alignment_help('the best head')} Since: from when on it has been at least {FOUND_SCORE}; {FOUND_SIGN} "
            "marks it then, here and among the steps. Rest on a head of cross-attention for its own."
        )
        self.body.addWidget(self.canvas, 1)

    def draw(self, history: History, shown: ShownSentence) -> None:
        kinds = ATTENTION_KINDS if self.all_kinds else (self._selection.chosen.kind,)
        aligned = history.probes.alignment.best(shown.step)
        scores = history.probes.alignment.at(shown.step)
        rows = [row for kind in kinds for row in self._rows(shown, kind, scores if kind == "cross" else None)]
        self.canvas.show_rows(rows, aligned, with_entropy=self.with_entropy)
        self.set_title(f"{self.title}{_title_suffix(shown, aligned)}")

    def numbers(self) -> Table:
        """A row for each weight, or for each head's entropy if that is shown. All positions count from 1.

        Each row has the head's score against the gold alignment, if there is one.
        """
        if self.with_entropy:
            return self._entropies()
        weights = (
            (row.kind, row.layer + 1, head + 1, _alignment(row, head), query + 1, key + 1, float(weight))
            for row in self.canvas.rows
            for (head, query, key), weight in np.ndenumerate(row.shown_weights)
        )
        return [("kind", "layer", "head", "alignment", "row", "column", "weight"), *weights]

    def _entropies(self) -> Table:
        entropies = (
            (row.kind, row.layer + 1, head + 1, _alignment(row, head), nats, share)
            for row in self.canvas.rows
            for head, (nats, share) in enumerate(zip(*(part.tolist() for part in row.entropy), strict=True))
        )
        return [("kind", "layer", "head", "alignment", "entropy in nats", "share of the highest"), *entropies]

    def _rows(self, shown: ShownSentence, kind: AttentionKind, scores: Scores | None) -> list[HeadRow]:
        """One row per layer. `scores` are those of the heads, [L, H], against the gold alignment."""
        heads = self._selection.attention_of(shown.sentence, kind)
        others = None if shown.other is None else self._selection.attention_of(shown.other.sentence, kind)
        return [
            HeadRow(
                kind=kind,
                layer=layer,
                heads=layer_heads,
                other=None if others is None else others[layer],
                alignment=None if scores is None else scores[layer],
            )
            for layer, layer_heads in enumerate(heads)
        ]


def _alignment(row: HeadRow, head: int) -> object:
    """The score of a head; empty if it has none."""
    return "" if row.alignment is None else float(row.alignment[head])


def _title_suffix(shown: ShownSentence, aligned: AlignedHead | None) -> str:
    """The end of the title: what is subtracted, or the best head's alignment; and the step."""
    if shown.other is not None:
        return f" · {shown.name} minus {shown.other.short_name}"
    found = "" if aligned is None else f" · {_describe_aligned(aligned)}"
    return f"{found} · step {shown.step:,}"


def _describe_aligned(aligned: AlignedHead) -> str:
    """The best head's score and name, with its diamond if it has found the alignment.

    The score comes first because a title is cut at its end, and the diamond in the grid shows which head it is.
    """
    head = f"cross {aligned.layer + 1} head {aligned.head + 1}"
    if aligned.since is None:
        return f"best alignment {aligned.score:.2f}: {head}"
    return f"{FOUND_SIGN} alignment {aligned.score:.2f}: {head} since {aligned.since:,}"
