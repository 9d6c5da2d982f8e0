"""The choice of a plugin in Setup, and its own options: a form made from what it declares, and what it says of each."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.config import RunConfig
from core.plugins_host.info import PluginInfo
from core.settings.fields import OPTIONS, SettingField, schema_settings
from gui.context import Context
from gui.fitting import beside, what_fits
from gui.option_form import OptionForm
from gui.theme import GRID
from gui.widgets.tab_order import tab_on_into


class PluginOptions(QWidget):
    """Edits the options of the workbench's draft. The plugin says whether they fit, in a process of its own."""

    edited = Signal()  # and the plugin is asked; or another plugin's options are shown
    judged = Signal()  # `unfit`

    def __init__(self, context: Context, choice: QWidget) -> None:
        super().__init__()
        self.form = OptionForm([])
        self._choice = choice
        self._context = context
        self._shown: PluginInfo | None = None
        self._untaken: dict[str, object] = {}  # edits that the plugin refused, or has not judged yet
        self._added: set[str] = set()  # options that the draft has since somebody typed them, by key
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GRID)
        self._layout.addWidget(choice)
        self._put_form(self.form)

    @property
    def unfit(self) -> list[str]:
        """The settings, by key, that the plugin refused as they were typed."""
        return [f"{OPTIONS}.{key}" for key in self._untaken if self.form.rows[key].error]

    def show_draft(self, draft: RunConfig) -> None:
        """Show its options, those that it does not name at their defaults; each plugin's in a form of their own.

        What was edited is shown as it was, though the draft has it only once the plugin has let it pass.
        A plugin that was there and cannot be read now keeps its form; one that is missing has none.
        """
        info = self._usable(draft.dataset.plugin)
        is_of_another = self._shown is not None and self._shown.name != draft.dataset.plugin
        if info != self._shown and (info is not None or is_of_another):
            self._show_plugin(info)
        defaults = {field.key: field.default for field in _fields_of(info)}
        self.form.show_values({**defaults, **draft.dataset.options, **self._untaken})

    def forget(self) -> None:
        """What was typed, and what the plugin says of it, is no longer of interest."""
        self._untaken, self._added = {}, set()
        self.form.forget_errors()
        self._context.workbench.verdict.forget()

    def drop_what_is_gone(self) -> None:
        """Of a plugin read anew that has renamed an option: the draft would be refused for the old name."""
        draft, old = self._context.workbench.draft, self._shown
        new = self._usable(old.name) if old is not None else None
        if draft is None or new is None or new.name != draft.dataset.plugin:
            return
        gone = _names_of(old) - _names_of(new)
        if gone & draft.dataset.options.keys():
            kept = {key: value for key, value in draft.dataset.options.items() if key not in gone}
            self._context.workbench.edit(OPTIONS, kept)

    def _usable(self, name: str) -> PluginInfo | None:
        infos = self._context.plugins.infos
        return next((info for info in infos if info.name == name and info.error is None), None)

    def _show_plugin(self, info: PluginInfo | None) -> None:
        self.forget()
        self._shown = info
        self._layout.removeWidget(self.form)
        self.form.edited.disconnect(self._edit)  # Qt deletes it a moment later
        self.form.deleteLater()
        self.form = OptionForm(_fields_of(info))
        self._put_form(self.form)
        self.edited.emit()

    def _put_form(self, form: OptionForm) -> None:
        self._layout.addWidget(form)
        tab_on_into(form, behind=self._choice)
        form.edited.connect(self._edit)

    def _edit(self, key: str, value: object) -> None:
        """Ask the plugin about an edit, and again about all that it has not taken yet."""
        draft = self._context.workbench.draft
        assert draft is not None
        dataset, host = draft.dataset, self._context.plugins.host
        edits = self._untaken = {**self._untaken, key: value}
        self._context.workbench.verdict.await_it()
        self._context.bridge.call(
            lambda: what_fits(edits, lambda some: host.options(dataset.plugin, {**dataset.options, **some})),
            lambda verdict: self._take_verdict(edits, *verdict),
            self._miss_verdict,
        )
        self.edited.emit()

    def _take_verdict(self, edits: dict[str, object], fitting: dict[str, object], errors: dict[str, str]) -> None:
        """The plugin has judged options: too late, where it was asked again since, or other settings were taken."""
        draft = self._context.workbench.draft
        if edits is not self._untaken or draft is None:
            return
        self._untaken = {key: edits[key] for key in errors}
        for key in edits:
            self.form.show_error(key, beside(f"{OPTIONS}.{key}", errors.get(key, "")))
        self.judged.emit()
        self._added |= fitting.keys() - draft.dataset.options.keys()
        options = self._without(edits, errors, {**draft.dataset.options, **fitting})
        if fitting or options != draft.dataset.options:
            self._context.workbench.edit(OPTIONS, options)
        self._context.workbench.verdict.go_on()

    def _without(
        self, edits: dict[str, object], errors: dict[str, str], options: dict[str, object]
    ) -> dict[str, object]:
        """Of what does not fit nothing is taken: 2,5 was 2 as it was typed. What stood there before is put back."""
        put_back = dict(options)
        for key in errors.keys() & options.keys():
            row = self.form.rows[key]
            if key in self._added and row.before == row.field.default:
                del put_back[key]
            elif row.before != edits[key]:
                put_back[key] = row.before
        return put_back

    def _miss_verdict(self, error: Exception) -> None:
        """A fault of ours: Learn must not wait for ever."""
        self._context.workbench.verdict.forget()
        self._context.bridge.report(error)


def _fields_of(info: PluginInfo | None) -> list[SettingField]:
    return schema_settings(info.options_schema) if info is not None and info.options_schema is not None else []


def _names_of(info: PluginInfo | None) -> set[str]:
    return {field.key for field in _fields_of(info)}
