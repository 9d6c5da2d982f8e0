"""Views are built when first opened, and then behave as if they had existed from the start."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.events import StateChanged
from gui.datasets.data_reader import NO_DATA
from gui.main_window import VIEWS, MainWindow
from gui.option_form import OptionForm
from gui.panel import Panel
from gui.panels.anatomy.masks import MasksTopic
from gui.panels.anatomy.topic import Topic
from gui.pictures.export_button import ExportButton
from gui.view import View
from gui.views.anatomy import AnatomyView
from gui.views.runs import RunsView
from gui.views.setup import SECTIONS
from gui.views.translate import TranslateView
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


class ShownWindows(QObject):
    """Collects every widget that is shown as a top-level window."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[QWidget] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.found.append(watched)
        return False


def widgets_in_tab_order(window: MainWindow) -> list[QWidget]:
    """The widgets that accept the keyboard focus, in tab order."""
    chain, widget = [], window.nextInFocusChain()
    while widget is not None and widget is not window:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    return [widget for widget in chain if widget.focusPolicy() != Qt.FocusPolicy.NoFocus]


def undrawn_panels(view: View) -> list[Panel]:
    return [panel for panel in view.findChildren(Panel) if panel.is_dirty and panel.isVisible()]


def test_only_opened_views_are_built(empty_window: MainWindow) -> None:
    assert empty_window.findChildren(View) == [empty_window.train_view]
    assert not empty_window.setup_drawer.forms.form("model").isVisible()
    assert len([form for form in empty_window.setup_drawer.findChildren(OptionForm) if form.rows]) == 1
    empty_window.show_view(VIEWS.index(TranslateView))
    assert [type(view) for view in empty_window.findChildren(View)] == [VIEWS[0], TranslateView]


def test_no_widget_is_shown_as_a_window_while_it_is_built(empty_window: MainWindow, qapp: QApplication) -> None:
    shown = ShownWindows()
    qapp.installEventFilter(shown)
    assert len(empty_window.views) == len(VIEWS) and all(map(empty_window.setup_drawer.forms.form, SECTIONS))
    qapp.removeEventFilter(shown)
    assert shown.found == []


def test_tab_continues_into_a_view_built_late(empty_window: MainWindow) -> None:
    view, drawer = empty_window.translate_view, empty_window.setup_drawer
    row = drawer.forms.form("model").rows["model.d_model"]
    chain = widgets_in_tab_order(empty_window)
    before, after = empty_window.train_view.more_button, empty_window.time_strip
    assert chain.index(before) < chain.index(view.source_edit) < chain.index(view.reference_edit) < chain.index(after)
    heading, next_heading = drawer.sections["model"].heading, drawer.sections["training"].heading
    assert chain.index(heading) < chain.index(not_none(row.editor)) < chain.index(next_heading)


def test_tab_goes_through_setup_and_anatomy_from_top_to_bottom(window: MainWindow, qtbot: QtBot) -> None:
    drawer, view = window.setup_drawer, window.anatomy_view
    forms = {name: drawer.forms.form(name) for name in SECTIONS}
    qtbot.waitUntil(lambda: "num_symbols" in drawer.plugin_options.form.rows, timeout=WAIT_MS)
    drawer.choose_preset("addition")
    rows = drawer.plugin_options.form.rows
    assert "units_first" in rows
    view.choose(MasksTopic)
    chain = widgets_in_tab_order(window)
    assert is_sorted(
        chain.index(widget)
        for widget in (
            window.transport.learn_button,
            drawer.sections["dataset"].heading,
            drawer.plugin_combo,
            *(row.editor for row in (*rows.values(), *forms["dataset"].rows.values()) if row.editor is not None),
            drawer.sections["model"].heading,
            forms["model"].rows["model.d_model"].editor,
            drawer.sections["training"].heading,
            forms["training"].rows["training.num_threads"].editor,
            drawer.processes_row.spin,
            drawer.sections["decoding"].heading,
            forms["decoding"].rows["decoding.beam_size"].editor,
            drawer.restart_button,
            view.topics,
            view.topic.code.heading,
            window.time_strip,
        )
        if widget is not None
    )


def is_sorted(places: Iterable[int]) -> bool:
    listed = list(places)
    return listed == sorted(listed)


def test_a_view_opened_late_knows_earlier_events(window: MainWindow, qtbot: QtBot) -> None:
    window.show_view(VIEWS.index(TranslateView))
    assert window.translate_view.source_edit.text() == window.context.bridge.history.probes.sentences[0]
    window.context.bridge.emit_recorded([StateChanged(state="empty", step=0)])
    assert window.data_view.empty_label.text() == NO_DATA
    assert not window.data_view.next_button.isEnabled() and window.data_view.page_label.text() == "none"


def test_tab_reaches_an_export_button_right_after_its_panel(qtbot: QtBot, window: MainWindow) -> None:
    found = set[str]()
    for index, view in enumerate(window.views):
        window.show_view(index)
        pages = view.topics.count() if isinstance(view, AnatomyView) else 1
        for page in range(pages):
            if isinstance(view, AnatomyView):
                view.topics.setCurrentRow(page)
            if isinstance(view, RunsView):
                comparison = view.comparison_pages.comparison  # its table is built late
                wait_for(qtbot, lambda comparison: not comparison.is_empty, comparison)
            wait_for(qtbot, lambda view: not undrawn_panels(view), view)
            chain = [widget for widget in widgets_in_tab_order(window) if widget.isVisible()]
            for exporting in (one for one in view.findChildren(ExportButton) if one.isVisible()):
                panel = exporting.parentWidget()
                assert isinstance(panel, Panel)
                places = [place for place, widget in enumerate(chain) if panel.isAncestorOf(widget)]
                last = -2 if isinstance(panel, Topic) and panel.code.heading in chain else -1  # code is not exported
                assert chain[places[last]] is exporting and places == [*range(places[0], places[-1] + 1)], panel.title
                found.add(exporting.accessibleName())
    assert len(found) >= 12


def test_tab_goes_through_the_curves_from_left_to_right(window: MainWindow) -> None:
    curves, chain = window.train_view.curves, widgets_in_tab_order(window)
    row = (curves.metric_combo, window.train_view.more_button, curves.rewind_button, curves.replay_button)
    first = chain.index(row[0])
    assert tuple(chain[first : first + len(row)]) == row
