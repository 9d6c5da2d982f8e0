"""The chosen run's details: its name and note, to be edited, where it comes from, and a branch from a kept step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.home_paths import shorten_home
from core.run_files.label import MAX_NAME_LENGTH
from core.run_folder import RunLabel
from gui.runs.disabled_reasons import why_not_branch, why_not_name, why_not_share
from gui.runs.rows import RunRow
from gui.theme import GRID
from gui.widgets.buttons import button, set_enabled
from gui.widgets.combo_boxes import combo_box, set_items
from gui.widgets.escapable_edit import EscapableEdit, NoteEdit
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import plain_label

_NAME_HELP = "Your name for this run (F2 to edit, Enter to keep, Esc to cancel); its folder keeps its name"
_NOTE_HINT = "Note: what was tried, what came out"
_NOTE_HELP = "Anything worth remembering about this run; kept when you leave the field, Esc cancels"
_KEPT_HELP = "A checkpoint keeps everything; elsewhere only the weights were kept"
_BRANCH_HELP = (
    "A new run from this step; this one is kept. Change something in Setup, then Learn: it continues from these "
    "weights with the change, if they fit it. From a checkpoint it continues exactly; from weights alone the "
    "optimizer starts afresh."
)
_SHARE_HELP = (
    "Write the run to one file, without the optimizer: anyone who drops it on their window can replay it step by "
    "step, and needs no plugin"
)


class RunDetails(QFrame):
    """`label_edited` carries a run's folder and its new label when the user leaves a field that was changed."""

    label_edited = Signal(Path, RunLabel)
    branch_requested = Signal(Path, int)  # the user wants a new run from this step of the run
    share_requested = Signal(Path, str)  # the run to write to one file, and a name for the file
    editing_ended = Signal()  # with Enter or Esc: the focus goes back to the table

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName("The chosen run")
        self._row: RunRow | None = None
        self._message: tuple[Path, str] | None = None  # a message about a run, until another run is shown
        self._filled_label = RunLabel()  # as the fields were filled: any difference was typed
        self._settings_name = ""  # the name in the field if it is only that of the settings, else empty
        self.name_edit = EscapableEdit("Name of the run", "Name", _NAME_HELP)
        self.note_edit = NoteEdit()
        self.about_label = plain_label(role="muted", wraps=True, is_copyable=True)
        self.step_combo = combo_box("Step whose weights were kept", _KEPT_HELP)
        self.branch_button = button("Continue from here", _BRANCH_HELP)
        self.share_button = button("Share …", _SHARE_HELP, name="Share the run")
        self._lay_out()
        self.share_button.clicked.connect(self._share)
        self.branch_button.clicked.connect(self._branch)
        self.name_edit.returnPressed.connect(self.editing_ended)
        self.name_edit.editingFinished.connect(self._commit_label)
        self.note_edit.editing_finished.connect(self._commit_label)
        for edit in (self.name_edit, self.note_edit):
            edit.escaped.connect(self._cancel_edit)

    def show_row(self, row: RunRow | None) -> None:
        """Show this run. If it is shown already, what is being typed about it stays."""
        is_same = row is not None and self._row is not None and row.path == self._row.path
        self._row = row
        if not is_same:
            self._message = None
        self._show_about()
        if not (is_same and self._typed_label != self._filled_label):
            self._show_label()
        self._show_steps(is_same=is_same)

    def show_message(self, run: Path, text: str) -> None:
        """Show a message about the run for as long as the run is shown."""
        self._message = run, text
        self._show_about()

    def keep_edits(self, run: Path) -> None:
        """Leave in the fields what could not be written of this run, to be corrected or tried again."""
        if self._row is not None and self._row.path == run:
            self._filled_label = RunLabel(name=self._row.name, note=self._row.note)

    def edit_name(self) -> None:
        """Put the keyboard focus into the name, all of it selected."""
        if self.name_edit.isEnabled():
            self.name_edit.setFocus()
            self.name_edit.selectAll()

    @property
    def _typed_label(self) -> RunLabel:
        return RunLabel(name=" ".join(self.name_edit.text().split()), note=self.note_edit.toPlainText().strip())

    def _show_label(self) -> None:
        row, why_not = self._row, why_not_name(self._row)
        name, note = (row.name, row.note) if row is not None else ("", "")
        if name != self._typed_label.name:  # setting the same text at each reading would reset cursor and selection
            self.name_edit.setText(name)
            self.name_edit.setCursorPosition(0)  # show its beginning
        if note != self._typed_label.note:
            self.note_edit.setPlainText(note)
        self._filled_label = self._typed_label
        self._settings_name = "" if row is None or row.given_name else self._filled_label.name
        for edit, tip in ((self.name_edit, _NAME_HELP), (self.note_edit, _NOTE_HELP)):
            edit.setEnabled(not why_not)
            edit.setToolTip(why_not or tip)
        self.note_edit.setPlaceholderText(why_not or _NOTE_HINT)

    def _show_about(self) -> None:
        row, message = self._row, self._message
        lines = [] if row is None else about_lines(row)
        if row is not None and message is not None and message[0] == row.path:
            lines.append(message[1])
        self.about_label.setText("\n".join(lines))

    def _show_steps(self, *, is_same: bool) -> None:
        """Offer the kept steps, newest first. Another step that the user chose stays chosen while it is kept."""
        row = self._row
        offered = [] if row is None else [(kept_step_text(row, step), step) for step in reversed(row.kept_steps)]
        chosen = self.step_combo.currentData() if is_same and self.step_combo.currentIndex() > 0 else None
        set_items(self.step_combo, offered)
        self.step_combo.setCurrentIndex(max(self.step_combo.findData(chosen), 0))
        self.step_combo.setEnabled(bool(offered))
        self.step_combo.setToolTip(_KEPT_HELP if offered else why_not_share(row))
        set_enabled(self.branch_button, why_not_branch(row))
        set_enabled(self.share_button, why_not_share(row))

    def _branch(self) -> None:
        if self._row is not None:
            self.branch_requested.emit(self._row.path, self.step_combo.currentData())

    def _share(self) -> None:
        if self._row is not None:
            self.share_requested.emit(self._row.path, self._row.given_name or self._row.path.name)

    def _commit_label(self) -> None:
        typed = self._typed_label
        if self._row is not None and typed != self._filled_label:
            self._filled_label = typed
            is_given = typed.name != self._settings_name
            self.label_edited.emit(self._row.path, typed if is_given else replace(typed, name=""))

    def _cancel_edit(self) -> None:
        self._show_label()
        self.editing_ended.emit()

    def _lay_out(self) -> None:
        self.name_edit.setMaxLength(MAX_NAME_LENGTH)
        self.note_edit.setAccessibleName("Note about the run")
        self.about_label.setAccessibleDescription("Where the run comes from")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        top = QHBoxLayout()
        top.setSpacing(GRID)
        top.addWidget(self.name_edit, 1)
        top.addWidget(self.share_button)
        layout.addLayout(top)
        layout.addWidget(self.note_edit, 1)
        layout.addWidget(self.about_label)
        going_on = QWidget()
        line = FlowLayout(going_on, GRID)
        line.add_stretching(self.step_combo)
        line.addWidget(self.branch_button)
        layout.addWidget(going_on)


def kept_step_text(row: RunRow, step: int) -> str:
    """A kept step, with what was kept at it."""
    return f"step {step:,}, {'checkpoint' if step in row.checkpoint_steps else 'weights only'}"


def about_lines(row: RunRow) -> list[str]:
    """The run's folder, the run it continues, and the group of runs that differ from it in their seed alone."""
    lines = [shorten_home(row.path)]
    if row.parent:
        lines.append(
            f"Continues {row.parent}" + (f" from step {row.parent_step:,}" if row.parent_step is not None else "")
        )
    if row.group:
        lines.append(f"One of the seeds of {row.group}")
    return lines
