"""The choice of a plugin in Setup, and a form for the options that the plugin declares and checks."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.config import RunConfig
from core.plugins_host.plugin_info import PluginInfo
from core.settings.fields import OPTIONS, SettingField, schema_settings
from gui.context import Context
from gui.edit_validation import field_error, split_valid_edits
from gui.option_form import OptionForm
from gui.theme import GRID
from gui.widgets.tab_order import insert_in_tab_order


class PluginOptions(QWidget):
    """Edits the options in the workbench's draft. The plugin checks them in its own process."""

    edited = Signal()  # an option was edited and the plugin asked; or another plugin's options are shown
    validated = Signal()  # the plugin has answered: `invalid_keys` may have changed

    def __init__(self, context: Context, choice: QWidget) -> None:
        super().__init__()
        self.form = OptionForm([])
        self._choice = choice
        self._context = context
        self._shown: PluginInfo | None = None
        self._pending_edits: dict[str, object] = {}  # edits that the plugin refused or has not checked yet, by key
        self._added_keys: set[str] = set()  # keys of options that the draft has only because the user typed them
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GRID)
        self._layout.addWidget(choice)
        self._add_form(self.form)

    @property
    def invalid_keys(self) -> list[str]:
        """Keys of the settings whose typed values the plugin refused."""
        return [f"{OPTIONS}.{key}" for key in self._pending_edits if self.form.rows[key].error]

    def show_draft(self, draft: RunConfig) -> None:
        """Show the draft's options, at their defaults where it names none. Each plugin has its own form.

        Edited values are shown as typed, though the draft has them only once the plugin accepts them. A plugin that can
        no longer be read keeps its form; a missing one has none.
        """
        info = self._usable_plugin(draft.dataset.plugin)
        is_of_another = self._shown is not None and self._shown.name != draft.dataset.plugin
        if info != self._shown and (info is not None or is_of_another):
            self._show_plugin(info)
        defaults = {field.key: field.default for field in _fields_of(info)}
        self.form.show_values({**defaults, **draft.dataset.options, **self._pending_edits})

    def discard_edits(self) -> None:
        """Drop what was typed, its errors, and a check that is under way."""
        self._pending_edits, self._added_keys = {}, set()
        self.form.clear_errors()
        self._context.workbench.option_check.cancel()

    def drop_removed_options(self) -> None:
        """Remove options from the draft that the reloaded plugin no longer declares: they would be refused."""
        draft, old = self._context.workbench.draft, self._shown
        new = self._usable_plugin(old.name) if old is not None else None
        if draft is None or new is None or new.name != draft.dataset.plugin:
            return
        gone = _names_of(old) - _names_of(new)
        if gone & draft.dataset.options.keys():
            kept = {key: value for key, value in draft.dataset.options.items() if key not in gone}
            self._context.workbench.edit(OPTIONS, kept)

    def _usable_plugin(self, name: str) -> PluginInfo | None:
        infos = self._context.plugins.infos
        return next((info for info in infos if info.name == name and info.error is None), None)

    def _show_plugin(self, info: PluginInfo | None) -> None:
        self.discard_edits()
        self._shown = info
        self._layout.removeWidget(self.form)
        self.form.edited.disconnect(self._edit)  # Qt deletes it a moment later
        self.form.deleteLater()
        self.form = OptionForm(_fields_of(info))
        self._add_form(self.form)
        self.edited.emit()

    def _add_form(self, form: OptionForm) -> None:
        self._layout.addWidget(form)
        insert_in_tab_order(form, after=self._choice)
        form.edited.connect(self._edit)

    def _edit(self, key: str, value: object) -> None:
        """Ask the plugin about an edit, together with all edits that it has not accepted yet."""
        draft = self._context.workbench.draft
        assert draft is not None
        dataset, host = draft.dataset, self._context.plugins.host
        edits = self._pending_edits = {**self._pending_edits, key: value}
        self._context.workbench.option_check.begin()
        self._context.bridge.run_in_background(
            lambda: split_valid_edits(edits, lambda some: host.options(dataset.plugin, {**dataset.options, **some})),
            lambda answer: self._handle_answer(edits, *answer),
            self._handle_failure,
        )
        self.edited.emit()

    def _handle_answer(self, edits: dict[str, object], fitting: dict[str, object], errors: dict[str, str]) -> None:
        """Take the plugin's answer, unless it was asked again since, or other settings were loaded."""
        draft = self._context.workbench.draft
        if edits is not self._pending_edits or draft is None:
            return
        self._pending_edits = {key: edits[key] for key in errors}
        for key in edits:
            self.form.rows[key].show_error(field_error(f"{OPTIONS}.{key}", errors.get(key, "")))
        self.validated.emit()
        self._added_keys |= fitting.keys() - draft.dataset.options.keys()
        options = self._with_previous_values(edits, errors, {**draft.dataset.options, **fitting})
        if fitting or options != draft.dataset.options:
            self._context.workbench.edit(OPTIONS, options)
        self._context.workbench.option_check.run_deferred()

    def _with_previous_values(
        self, edits: dict[str, object], errors: dict[str, str], options: dict[str, object]
    ) -> dict[str, object]:
        """`options` with the last complete value in place of each refused one: while 2,5 was typed, 2 was accepted."""
        restored = dict(options)
        for key in errors.keys() & options.keys():
            row = self.form.rows[key]
            if key in self._added_keys and row.last_complete_value == row.field.default:
                del restored[key]
            elif row.last_complete_value != edits[key]:
                restored[key] = row.last_complete_value
        return restored

    def _handle_failure(self, error: Exception) -> None:
        """Report a bug of ours, and release what waits for the answer: Learn must not wait for ever."""
        self._context.workbench.option_check.cancel()
        self._context.bridge.report(error)


def _fields_of(info: PluginInfo | None) -> list[SettingField]:
    return schema_settings(info.options_schema) if info is not None and info.options_schema is not None else []


def _names_of(info: PluginInfo | None) -> set[str]:
    return {field.key for field in _fields_of(info)}
