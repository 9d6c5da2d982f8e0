"""What cannot be read whole in a window: texts for which there is too little room."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from gui.widgets.dynamic_labels import ElidedLabel


def cut_texts(window: QWidget) -> list[str]:
    """Each visible label, button, choice and head of a column that has less room than its text needs."""
    return sorted({said for widget in window.findChildren(QWidget) if widget.isVisible() for said in _cut(widget)})


def _cut(widget: QWidget) -> Iterator[str]:
    match widget:
        case ElidedLabel():
            return  # it shows itself that it is cut
        case QLabel() if widget.minimumWidth() != 1 and widget.text():  # a sentence of the data is as long as it likes
            yield from _within(widget, widget.text(), _needed_by_label(widget))
        case QAbstractButton() if widget.text():
            yield from _within(widget, widget.text(), widget.sizeHint())
        case QComboBox():
            yield from _within(widget, widget.currentText(), _needed_by_combo(widget))
        case QAbstractSpinBox():
            text, room = widget.text(), widget.lineEdit().contentsRect().width()
            if room < widget.fontMetrics().horizontalAdvance(text):
                yield f"“{text}” has {room} pixels"
        case QHeaderView():
            if widget.orientation() == Qt.Orientation.Horizontal:
                yield from _cut_headers(widget)


def _cut_headers(header: QHeaderView) -> Iterator[str]:
    for section in range(header.count()):
        if not header.isSectionHidden(section) and header.sectionSize(section) < header.sectionSizeHint(section):
            yield f"column {header.model().headerData(section, header.orientation())}"


def _needed_by_label(label: QLabel) -> QSize:
    if not label.wordWrap():
        return label.sizeHint()
    return QSize(label.minimumSizeHint().width(), label.heightForWidth(label.width()))


def _needed_by_combo(combo: QComboBox) -> QSize:
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    room = combo.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, combo)
    text = combo.fontMetrics().horizontalAdvance(combo.currentText())
    return QSize(combo.width() - room.width() + text, 0)


def _within(widget: QWidget, text: str, needed: QSize) -> Iterator[str]:
    """Whether it has what it needs, and lies within all that it lies in, up to what can be scrolled."""
    if needed.width() > widget.width() or needed.height() > widget.height():
        yield f"“{text}” has {widget.size().toTuple()}, needs {needed.toTuple()}"
    around = widget.parentWidget()
    while around is not None:
        place = QRect(widget.mapTo(around, QPoint(0, 0)), widget.size())
        area = around.parentWidget()
        if isinstance(area, QScrollArea) and around is area.viewport():
            return
        if not around.rect().contains(place):
            yield f"“{text}” at {place.getRect()} is outside of {around.rect().getRect()}"
            return
        around = None if around.isWindow() else area
