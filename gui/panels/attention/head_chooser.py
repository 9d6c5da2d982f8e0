"""The controls above an attention map: kind, layer, head, how the decoder is fed, and the colour scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.answers.head_ablation import HeadId
from core.history import History
from core.probes import ProbedSentence
from gui.heads.disabled_heads import DisabledHeads
from gui.panels.attention.sentence_panel import SentencePanel
from gui.sentences.selection import ATTENTION_KINDS, KIND_TITLES, Pooled, Selection
from gui.sentences.shown_sentence import SentenceSource, ShownSentence
from gui.theme import GRID, Theme
from gui.widgets.buttons import check_box
from gui.widgets.combo_boxes import combo_box
from gui.widgets.flow_layout import FlowLayout, with_label
from gui.widgets.spin_boxes import IntegerSpinBox

_FEEDS = ("teacher-forced", "free-running")
_FEED_HELP = (
    "What the decoder reads: the reference's tokens (teacher-forced), or the tokens it has written itself "
    "(free-running) (Alt+F)"
)
_ON_HELP = "Uncheck to switch this head off, and see output and loss without it (Alt+X)"
_ALL_HELP = "All heads of the layer are shown as one: choose a head to switch it off"
_SCALE_HELP = "Spread small weights apart: the colour follows the square root of the weight"
_LINES_HELP = "Show the head as lines from the tokens that read to those they read from (Alt+L)"
_POOLED_WORDS: dict[Pooled, str] = {"mean": "mean", "max": "maximum"}
_NO_REFERENCE = "This sentence has no reference: the decoder can only read what it has written itself"


class HeadChooser(SentencePanel):
    """Sets the selection, and shows what is chosen there; offers the layers and heads that the model has."""

    title = "Head"
    empty_sentence = "Kind, layer and head can be chosen as soon as there is a model."

    def __init__(
        self,
        theme: Theme,
        selection: Selection,
        source: SentenceSource | None = None,
        *,
        has_feeds: bool = True,
        has_lines: bool = True,
        can_pool: bool = True,
        disabled_heads: DisabledHeads | None = None,
    ) -> None:
        """With `disabled_heads`, the chosen head can be switched off. `has_lines`: the map can be drawn as lines.
        `can_pool`: the map shows a layer's heads pooled if the selection says so.
        """
        super().__init__(theme, selection, source)
        self._disabled_heads = disabled_heads
        self._head_id: HeadId | None = None  # the shown head; None if none is
        self._sentence: ProbedSentence | None = None  # the one drawn last, whose layers and heads are offered
        self._has_feeds, self._has_lines, self._can_pool = has_feeds, has_lines, can_pool
        self.kind_combo = combo_box("Kind of attention", "Which tokens read which (Alt+K)")
        self.kind_combo.addItems([KIND_TITLES[kind] for kind in ATTENTION_KINDS])
        self.layer_spin = _spin_box(
            theme, "Layer", "Layer of the encoder or decoder, counted from its input (Alt+Up, Alt+Down)"
        )
        self.head_spin = _spin_box(theme, "Head", "Head of that layer (Alt+Left, Alt+Right)")
        self.on_box = check_box("on", "Head switched on", _ON_HELP)
        self.feed_combo = combo_box("Decoder's input", _FEED_HELP)
        self.feed_combo.addItems(_FEEDS)
        self.scale_box = check_box("√ colours", "Square-root colour scale", _SCALE_HELP)
        self.lines_box = check_box("lines", "Lines between tokens", _LINES_HELP)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lay_out()
        self._connect()

    def draw(self, history: History, shown: ShownSentence) -> None:
        """Show the selection among the layers and heads of the sentence's attention."""
        self._sentence = shown.sentence
        self._show_chosen(shown.sentence)

    def show_empty(self, sentence: str = "") -> None:
        self._head_id = self._sentence = None  # else a key could switch off an unseen head of another run
        super().show_empty(sentence)

    def add_shortcuts(self, view: QWidget) -> None:
        """Add keys that choose while `view` is visible, wherever the focus is."""
        steps: dict[str, Callable[[], object]] = {
            "Alt+Up": self.layer_spin.stepDown,
            "Alt+Down": self.layer_spin.stepUp,
            "Alt+Left": self.head_spin.stepDown,
            "Alt+Right": self.head_spin.stepUp,
        }
        actions: dict[str, Callable[[], object]] = {
            **steps,
            "Alt+K": lambda: self._choose_kind((self.kind_combo.currentIndex() + 1) % len(ATTENTION_KINDS)),
        }
        if self._has_feeds:
            actions["Alt+F"] = self._toggle_feed
        if self._has_lines:
            actions["Alt+L"] = self.lines_box.toggle
        if self._disabled_heads is not None:
            actions["Alt+X"] = self.on_box.click
        for keys, action in actions.items():
            QShortcut(keys, view, partial(self._act, action), autoRepeat=keys in steps)  # a held toggle acts once

    def _act(self, action: Callable[[], object]) -> None:
        """Go on from the selection as it is now: on a hidden page this is not drawn when others change it."""
        if self._sentence is not None:
            self._show_chosen(self._sentence)
        action()

    def _show_chosen(self, sentence: ProbedSentence) -> None:
        chosen, heads = self._selection.chosen, self._selection.attention_of(sentence)
        widgets = (self.kind_combo, self.layer_spin, self.head_spin, self.feed_combo, self.scale_box, self.lines_box)
        blockers = [QSignalBlocker(widget) for widget in widgets]
        self._head_id = self._selection.head_in(sentence)
        if self._disabled_heads is not None:
            self._show_enabled(self._disabled_heads)
        self.kind_combo.setCurrentIndex(ATTENTION_KINDS.index(chosen.kind))
        _show_index(self.layer_spin, chosen.layer, heads.shape[0])
        _show_index(self.head_spin, chosen.head, heads.shape[1], chosen.pooled if self._can_pool else "")
        has_choice = sentence.by_reference is not None and chosen.kind != "encoder_self"
        self.feed_combo.setCurrentIndex(int(self._selection.runs_free(sentence)))
        self.feed_combo.setEnabled(has_choice)
        self.feed_combo.setToolTip(_feed_help(has_choice, chosen.kind))
        self.scale_box.setChecked(chosen.square_root)
        self.lines_box.setChecked(chosen.as_lines)
        for blocker in blockers:
            blocker.unblock()

    def _show_enabled(self, disabled_heads: DisabledHeads) -> None:
        reason = disabled_heads.unavailable_reason or (_ALL_HELP if self._selection.chosen.pooled else "")
        self.on_box.setChecked(self._head_id not in disabled_heads.heads)
        self.on_box.setEnabled(not reason)
        self.on_box.setToolTip(reason or _ON_HELP)

    def _choose_kind(self, index: int) -> None:
        self._selection.choose(kind=ATTENTION_KINDS[index])

    def _toggle_head(self) -> None:
        if self._disabled_heads is not None and self._head_id is not None:
            self._disabled_heads.toggle(self._head_id)

    def _toggle_feed(self) -> None:
        if self.feed_combo.isEnabled():
            self._selection.choose(free_running=not self._selection.chosen.free_running)

    def _lay_out(self) -> None:
        self.title_label.hide()
        controls = QWidget()
        self.body.addWidget(controls)  # first: `setVisible` on a widget without a parent would open a window
        self.row = FlowLayout(controls, GRID, last_at_right=False)  # views add their own controls at its end
        feed = with_label("decoder", self.feed_combo)
        for widget in (
            with_label("kind", self.kind_combo),
            with_label("layer", self.layer_spin),
            with_label("head", self.head_spin, self.on_box),
            *(feed, self.lines_box, self.scale_box),
        ):
            self.row.addWidget(widget)
        self.on_box.setVisible(self._disabled_heads is not None)
        feed.setVisible(self._has_feeds)
        self.lines_box.setVisible(self._has_lines)

    def _connect(self) -> None:
        selection = self._selection
        self.kind_combo.activated.connect(self._choose_kind)
        self.layer_spin.valueChanged.connect(lambda layer: selection.choose(layer=layer - 1))
        self.head_spin.valueChanged.connect(lambda head: selection.choose(head=head - 1))
        self.on_box.clicked.connect(self._toggle_head)
        self.feed_combo.activated.connect(lambda index: selection.choose(free_running=bool(index)))
        self.scale_box.toggled.connect(lambda checked: selection.choose(square_root=checked))
        self.lines_box.toggled.connect(lambda checked: selection.choose(as_lines=checked))


def _feed_help(has_choice: bool, kind: str) -> str:
    if has_choice:
        return _FEED_HELP
    return "The encoder reads only the source" if kind == "encoder_self" else _NO_REFERENCE


def _show_index(spin: IntegerSpinBox, index: int, count: int, pooled: Pooled = "") -> None:
    """Show which of `count` is chosen, or how all are pooled: then the first step up chooses a single one."""
    spin.setSpecialValueText(f"{_POOLED_WORDS[pooled]} of {count}" if pooled else "")
    spin.setRange(0 if pooled else 1, count)
    spin.setSuffix(f" of {count}")
    spin.setValue(0 if pooled else index % count + 1)
    spin.setEnabled(count > 1)
    only = f"There is only one {spin.accessibleName().lower()} to choose"
    spin.setToolTip(spin.accessibleDescription() if count > 1 else only)


def _spin_box(theme: Theme, name: str, help: str) -> IntegerSpinBox:
    spin = IntegerSpinBox(theme)
    spin.setWrapping(True)
    spin.setRange(1, 1)
    spin.setAccessibleName(name)
    spin.setAccessibleDescription(help)
    spin.setToolTip(help)
    return spin
