"""The forms of Setup's sections: each edits its part of the workbench's draft."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.config import RunConfig
from core.errors import UserError
from core.events import SettingChanged
from core.settings.fields import SettingField, run_settings
from core.settings.overriding import change_setting
from gui.context import Context
from gui.edit_validation import field_error
from gui.option_form import FormRow, OptionForm
from gui.widgets.section import Section
from gui.widgets.tab_order import insert_in_tab_order

NOAM_NOTE = "Has no effect with the schedule noam, which sets its own rate: change the Noam factor instead."


class SectionForms(QObject):
    """Builds a form when its section is first unfolded, or one of its rows is asked for: many windows need none.

    A typed value that does not fit is kept, and tried again with every edit: a number of heads may divide only the new
    d_model, which is typed next.
    """

    edited = Signal()  # a setting was edited
    validated = Signal()  # its value fits, or it does not: `invalid_keys` may have changed

    def __init__(self, context: Context, sections: Mapping[str, Section], plugin_options: QWidget) -> None:
        super().__init__()
        self._context = context
        self._sections = sections
        self._plugin_options = plugin_options  # below these is the form of their section
        self._forms: dict[str, OptionForm] = {}
        self._refused: dict[str, object] = {}  # edits that do not fit yet, with the values typed
        for name, section in sections.items():
            section.heading.toggled.connect(partial(self._unfold, name))
        context.bridge.setting_changed.connect(self._note_applied)

    @property
    def invalid_keys(self) -> list[str]:
        """Keys of the settings whose typed values do not fit."""
        return list(self._refused)

    def form(self, name: str) -> OptionForm:
        """The form of a section."""
        if name not in self._forms:
            form = self._forms[name] = OptionForm(_fields_of(name))
            section = self._sections[name]
            before = self._plugin_options if name == "dataset" else section.heading
            section.body.insertWidget(section.body.indexOf(before) + 1, form)  # first in it, or below the options
            insert_in_tab_order(form, after=before)
            form.edited.connect(self._edit)
            form.editing_finished.connect(self._context.workbench.apply_edits_now)
            self.show_draft()
        return self._forms[name]

    def row(self, key: str) -> FormRow | None:
        """The row of a setting; None if no section has one for it."""
        section = key.partition(".")[0]
        return self.form(section).rows.get(key) if section in self._sections else None

    def show_draft(self) -> None:
        """Show the draft; values that do not fit stay as typed."""
        draft = self._context.workbench.draft
        if draft is None:
            return
        values = draft.model_dump(mode="json")
        for form in self._forms.values():
            form.show_values(values)
        if training := self._forms.get("training"):
            own_rate = NOAM_NOTE if draft.training.schedule.name == "noam" else ""
            training.rows["training.optimizer.learning_rate"].show_note(own_rate)
            training.rows["training.max_steps"].show_note(self._max_steps_note(draft))

    def discard_edits(self) -> None:
        """Drop what was typed and does not fit, and all errors."""
        self._refused = {}
        for form in self._forms.values():
            form.clear_errors()

    def _unfold(self, name: str, _: bool) -> None:
        self.form(name)

    def _edit(self, key: str, value: object) -> None:
        """Take an edit, and refused ones that fit now.

        An edit of a group replaces the refused ones in it: where it is switched off, they could not even be seen.
        """
        self.edited.emit()
        for inner in [refused for refused in self._refused if refused.startswith(f"{key}.")]:
            del self._refused[inner]
            self._existing_row(inner).clear_typed()
        edits = {**self._refused, key: value}
        errors = self._context.workbench.apply_valid_edits(edits)
        self._refused = {refused: edits[refused] for refused in errors}
        for tried in edits:
            self._existing_row(tried).show_error(field_error(tried, errors.get(tried, "")))
        if key in errors:
            self._restore_value(key)
        self.validated.emit()

    def _restore_value(self, key: str) -> None:
        """Restore the value from before the typing, since what was typed does not fit: of 1,000 the 1 was taken."""
        workbench, row = self._context.workbench, self._existing_row(key)
        assert workbench.draft is not None
        with suppress(UserError):  # the old value does not fit any more either
            if change_setting(workbench.draft, key, row.last_complete_value) != workbench.draft:
                workbench.edit(key, row.last_complete_value)

    def _note_applied(self, change: SettingChanged) -> None:
        if form := self._forms.get(change.key.partition(".")[0]):
            form.rows[change.key].note_applied(change.value)
        self.show_draft()

    def _existing_row(self, key: str) -> FormRow:
        """The row of a setting that was edited in it."""
        return self._forms[key.partition(".")[0]].rows[key]

    def _max_steps_note(self, draft: RunConfig) -> str:
        """A note on where the run ends if it goes on beyond the draft's `max_steps`, which a new run would have."""
        workbench, prepared = self._context.workbench, self._context.bridge.history.prepared
        if workbench.run is None or workbench.applied is None or prepared is None or workbench.is_other_config_waiting:
            return ""
        if draft.training.max_steps != workbench.applied.training.max_steps:  # being edited: the run takes it, too
            return ""
        end = prepared.config.training.max_steps
        return "" if end == draft.training.max_steps else f"This run continues to step {end:,}; a new one ends here."


def _fields_of(section: str) -> list[SettingField]:
    """The section's settings, without the plugin itself, which has a combo box of its own."""
    prefix = f"{section}."
    return [field for key, field in run_settings().items() if key.startswith(prefix) and key != "dataset.plugin"]
