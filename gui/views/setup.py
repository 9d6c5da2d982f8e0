"""The Setup drawer: preset, data, model, training and decoding, as forms made from the declared settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.comparison.differences import changed_keys
from core.config import RunConfig, config_to_yaml, read_config
from core.corpus_files import PLUGIN, Corpus, recognise_corpus
from core.errors import UserError
from core.events import Trouble
from core.faults import as_trouble
from core.home_paths import shorten_home
from core.model_size import count_parameters, num_positions
from core.plugins_host.plugin_info import is_built_in
from core.settings.fields import OPTIONS, named_setting
from core.settings.presets import FIRST_PRESET, preset_names, preset_summary, read_preset
from gui.context import Context
from gui.edit_validation import field_error
from gui.option_form import FormRow
from gui.panels.learning.planned_schedule import PlannedSchedule
from gui.panels.setup.plugin_options import PluginOptions
from gui.panels.setup.processes_row import ProcessesRow
from gui.panels.setup.restart_button import RestartButton
from gui.panels.setup.section_forms import SectionForms
from gui.pictures.export_button import ExportButton
from gui.theme import GRID
from gui.widgets.buttons import button
from gui.widgets.combo_boxes import NoWheelComboBox
from gui.widgets.labels import plain_label
from gui.widgets.save_dialog import ask_where_to_save, save_file
from gui.widgets.scroll_areas import FramelessScrollArea
from gui.widgets.section import Section

SECTIONS = {  # section -> what is in it
    "dataset": "What is learned: options of the dataset, tokens, and the longest texts that are used",
    "model": "How large the Transformer is, and how its parts are made",
    "training": "Batches, optimizer and learning rate, what is validated and kept, and when the run ends",
    "decoding": "How validations decode: the width of the beam, and the longest output",
}
WIDTH = 336
SETTINGS_KINDS = {".yaml": "Settings", ".yml": "Settings"}  # by the suffix of the file


class SetupDrawer(QFrame):
    """Edits the workbench's draft. `field_marked` says that a field has to be fixed before anything can be prepared."""

    field_marked = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("drawer")
        self.setAccessibleName("Setup")
        self.context = context
        self._origin: RunConfig | None = None  # what changes are counted against
        self._marked_row: FormRow | None = None  # the row whose value the engine or the plugin refused to prepare
        self._had_run = False
        self.plugin_combo = NoWheelComboBox()
        self.plugin_options = PluginOptions(context, self.plugin_combo)
        self.sections = {name: Section(name.capitalize()) for name in SECTIONS}
        self.forms = SectionForms(context, self.sections, self.plugin_options)
        self.preset_combo = NoWheelComboBox()
        self.open_button = button("Open …", "Open settings from a YAML file, which can also be dropped on the window")
        self.save_button = button("Save as …", "Save these settings as a YAML file")
        self.restart_button = RestartButton(context.workbench, self._invalid_keys)
        self.summary_label = plain_label(role="muted", wraps=True)
        self.size_label = plain_label(wraps=True)
        self.schedule = PlannedSchedule(context.theme)
        self.processes_row = ProcessesRow(context.theme, context.bridge)
        self._lay_out()
        self._connect()
        self.resize_to_zoom()
        self._list_plugins()
        context.redraw_scheduler.add(self.schedule)

    def choose_preset(self, name: str) -> None:
        """Take the settings of a preset."""
        self.preset_combo.setCurrentText(name)
        self.summary_label.setText(preset_summary(name))
        self._replace_draft(read_preset(name))

    def choose_plugin(self, name: str) -> None:
        """Take the preset of a plugin of Headlight's, or all settings at their defaults if it has none.

        A user's plugin may have such a name, too, but not the options that the preset sets.
        """
        usable = [info for info in self.context.plugins.infos if info.name == name and info.error is None]
        if name in preset_names() and all(map(is_built_in, usable)):
            self.choose_preset(name)
            return
        self._show_origin(f"The dataset {name}, and every other setting at its default.")
        self._replace_draft(RunConfig.model_validate({"dataset": {"plugin": name}}))

    def open_file(self, path: Path) -> None:
        """Take the settings of a YAML file, or show what is wrong with it."""
        try:
            config = read_config(path)
        except UserError as error:
            self.context.bridge.show_refusal(error)
            return
        self._show_origin(str(path))
        self._replace_draft(config)

    def open_files(self, paths: Sequence[Path]) -> None:
        """Train on these texts, with all other settings as they are, or show why they cannot be used."""
        self.context.bridge.run_in_background(partial(recognise_corpus, paths), self._use_corpus, self._refuse_corpus)

    def refresh(self) -> None:
        """Show the draft, its size and its schedule."""
        draft = self.context.workbench.draft
        if draft is None:
            return
        has_run = self.context.workbench.run is not None
        if self._had_run and not has_run:  # for a run that begins here, typed values that do not fit stay, to be fixed
            self._discard_refused()
        self._had_run = has_run
        self.forms.show_draft()
        self.plugin_combo.setCurrentIndex(self.plugin_combo.findData(draft.dataset.plugin))
        self.plugin_options.show_draft(draft)
        self.schedule.show_config(draft)
        self.size_label.setText(self._size_text(draft))
        changes = changed_keys(self._origin, draft) if self._origin else ()
        for name, section in self.sections.items():
            section.count_changes(sum(key.startswith(f"{name}.") for key in changes))

    def resize_to_zoom(self) -> None:
        self.setFixedWidth(self.context.theme.px(WIDTH))

    def _replace_draft(self, config: RunConfig) -> None:
        self._origin = config
        self._discard_refused()
        self.context.workbench.replace_draft(config)

    def _use_dataset(self, dataset: Mapping[str, Any], origin: str) -> None:
        """Take another dataset, with every other setting as it is."""
        self._discard_refused()
        self.context.workbench.apply_valid_edits({"name": dataset["plugin"], "dataset": dataset})
        self._show_origin(origin)

    def _show_origin(self, sentence: str) -> None:
        """Say where the settings come from, if not from a preset."""
        self.preset_combo.setCurrentIndex(-1)
        self.summary_label.setText(sentence)

    def _show_opened(self) -> None:
        """Show that the settings are those of a run that was opened: changes are counted against them."""
        workbench = self.context.workbench
        assert workbench.run is not None
        self._discard_refused()
        self._origin = workbench.draft
        name = "the example run" if workbench.is_example else workbench.run.name
        self._show_origin(f"The settings of {name}.")

    def _use_corpus(self, corpus: Corpus) -> None:
        """Take these files as the dataset. If it already was one of files, options that name no file stay.

        The data are prepared at once, so that they can be seen, unless a run is learning.
        """
        draft = self._draft_for_dataset()
        dataset: dict[str, Any] = {"plugin": PLUGIN, "seed": draft.dataset.seed}
        if draft.dataset.plugin == PLUGIN:
            dataset = draft.dataset.model_dump(mode="json")
            dataset["options"] |= corpus.options
        else:
            dataset["options"] = {name: file for name, file in corpus.options.items() if file}
        self._use_dataset(dataset, corpus.sentence)
        self._scroll.verticalScrollBar().setValue(0)  # where their origin is shown
        if self.context.bridge.state != "learning":
            self.context.workbench.prepare()

    def _refuse_corpus(self, error: Exception) -> None:
        """Have the strip say why the files cannot be used, until others are prepared."""
        self.context.bridge.trouble.emit(replace(as_trouble(error), until_prepared=True))

    def _draft_for_dataset(self) -> RunConfig:
        """The draft, to be given another dataset; in place of the example, which was made small, that of its preset."""
        if self.context.workbench.is_example:
            self._replace_draft(read_preset(FIRST_PRESET))
        draft = self.context.workbench.draft
        assert draft is not None
        return draft

    def _discard_refused(self) -> None:
        self._marked_row = None
        self.forms.discard_edits()
        self.plugin_options.discard_edits()
        self.restart_button.refresh()

    def _mark(self, sentence: str) -> None:
        """Show why nothing could be prepared beside the field that the sentence names, by its key or its file."""
        self._unmark()
        key = named_setting(sentence) or self._key_of_file(sentence)
        row = self._row(key)
        if row is None or row.error:
            return
        row.show_error(field_error(key, sentence))
        self._marked_row = row
        self.sections[key.partition(".")[0]].heading.setChecked(True)
        self.field_marked.emit()
        QTimer.singleShot(0, row, partial(self._scroll_to, row))

    def _scroll_to(self, row: FormRow) -> None:
        """Bring this row into view, once all above it has its height: Setup or the section may have just opened."""
        self.schedule.show_step(self.context.bridge.history, 0)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        self._scroll.ensureWidgetVisible(row)

    def _key_of_file(self, sentence: str) -> str:
        """The key of the dataset's option whose file the sentence begins with; empty if there is none."""
        option = self.plugin_options.form.key_of_file(sentence)
        return f"{OPTIONS}.{option}" if option else ""

    def _unmark(self) -> None:
        """Remove the mark: an edit may have fixed the value, or it was prepared. If not, the next attempt marks it."""
        if self._marked_row is not None:
            self._marked_row.show_error("")
            self._marked_row = None

    def _row(self, key: str) -> FormRow | None:
        if key.startswith(f"{OPTIONS}."):
            return self.plugin_options.form.rows.get(key.removeprefix(f"{OPTIONS}."))
        return self.forms.row(key)

    def _invalid_keys(self) -> list[str]:
        """The keys of settings whose typed values do not fit."""
        return [*self.forms.invalid_keys, *self.plugin_options.invalid_keys]

    def _report_invalid(self, what_is_done: str) -> None:
        """Note in the strip that learning or saving leaves out the typed values that do not fit."""
        if invalid := self._invalid_keys():
            sentence = f"What was typed for {', '.join(invalid)} does not fit: {what_is_done} without it."
            advice = "Setup (Ctrl+E) says what is expected."
            self.context.bridge.trouble.emit(Trouble(sentence=sentence, advice=advice, is_note=True))

    def _size_text(self, draft: RunConfig) -> str:
        resolved, applied = self.context.workbench.resolved, self.context.workbench.applied
        if resolved is None or applied is None:
            return ""
        if draft.dataset != applied.dataset:
            return "Parameters are counted once these data are prepared."
        dataset = resolved.config.dataset
        positions = num_positions(draft.decoding, int(dataset.max_src_length), int(dataset.max_tgt_length))
        count = count_parameters(draft.model, len(resolved.src_tokens), len(resolved.tgt_tokens), positions)
        return f"{count:,} parameters"

    def _list_plugins(self) -> None:
        self.plugin_options.drop_removed_options()
        self.plugin_combo.clear()
        for info in sorted(self.context.plugins.infos, key=lambda info: info.title.lower()):
            if info.error is None:
                self.plugin_combo.addItem(info.title, info.name)
        self.refresh()

    def _choose_plugin(self, index: int) -> None:
        plugin, draft = self.plugin_combo.itemData(index), self.context.workbench.draft
        if draft is None or plugin == draft.dataset.plugin:
            return
        dataset = {"plugin": plugin, "seed": self._draft_for_dataset().dataset.seed}
        self._use_dataset(dataset, f"The dataset {plugin}, and every other setting as it was.")

    def _ask_open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open settings", "", f"Settings (*{' *'.join(SETTINGS_KINDS)})")
        if name:
            self.open_file(Path(name))

    def _ask_save(self) -> None:
        workbench = self.context.workbench
        assert workbench.draft is not None
        path = ask_where_to_save(self, "Save settings", f"{workbench.draft.name}.yaml", SETTINGS_KINDS)
        if path is not None:
            self._save(path, workbench.draft)  # the draft of now: a plugin may have judged an option meanwhile

    def _save(self, path: Path, draft: RunConfig) -> None:
        try:
            save_file(path, config_to_yaml(draft).encode())
        except UserError as error:
            self.context.bridge.show_refusal(error)
        else:
            self.context.bridge.message.emit(f"Saved as {shorten_home(path)}")
            self._report_invalid("the file was saved")

    def _lay_out(self) -> None:
        self.preset_combo.addItems(preset_names())
        self.preset_combo.setPlaceholderText("Choose a preset")  # while the settings come from none
        self.preset_combo.setAccessibleName("Preset")
        self.plugin_combo.setAccessibleName("Dataset")
        self.preset_combo.setToolTip("A ready-made dataset, model and training to begin with")
        self.plugin_combo.setToolTip("What is learned; Plugins describes each")
        for combo in (self.preset_combo, self.plugin_combo):
            combo.ignore_text_width()  # the title of a plugin is as long as its author likes
        files = QHBoxLayout()
        files.addWidget(self.open_button)
        files.addWidget(self.save_button)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(plain_label("Preset", role="heading"))
        column.addWidget(self.preset_combo)
        column.addWidget(self.summary_label)
        column.addLayout(files)
        column.addWidget(self.size_label)
        self.schedule.header.addWidget(ExportButton(self.schedule, self.context.bridge, self.context.redraw_scheduler))
        column.addWidget(self.schedule)
        self.sections["training"].body.addWidget(self.processes_row)  # below the threads
        self.sections["dataset"].body.addWidget(self.plugin_options)
        for section in self.sections.values():  # filled already: Tab follows the order of adding
            column.addWidget(section)
        column.addStretch(1)
        self._scroll = FramelessScrollArea(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._scroll, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        foot.addWidget(self.restart_button)
        layout.addLayout(foot)

    def _connect(self) -> None:
        workbench = self.context.workbench
        self.preset_combo.textActivated.connect(self.choose_preset)
        self.plugin_combo.activated.connect(self._choose_plugin)
        self.open_button.clicked.connect(self._ask_open)
        self.save_button.clicked.connect(self._ask_save)
        for name, section in self.sections.items():
            section.heading.setToolTip(SECTIONS[name])
        for part in (self.forms, self.plugin_options):
            part.edited.connect(self._unmark)
            part.validated.connect(self.restart_button.refresh)
        self.plugin_options.edited.connect(self.restart_button.refresh)  # those of another plugin may be shown
        workbench.run_opened.connect(self._show_opened)
        workbench.changed.connect(self.refresh)
        workbench.learn_requested.connect(partial(self._report_invalid, "the run learns"))
        workbench.settings_refused.connect(self._mark)
        self.context.bridge.prepared.connect(self._unmark)
        self.context.plugins.changed.connect(self._list_plugins)
        self.context.theme.changed.connect(self.resize_to_zoom)
