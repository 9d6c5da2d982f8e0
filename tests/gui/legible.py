"""Finds what is cut in a window: texts that have too little space, and parts that are scrolled out of view."""

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


def is_uncut(widget: QWidget) -> bool:
    """Whether all of a widget is in view."""
    return widget.isVisible() and widget.visibleRegion().boundingRect() == widget.rect()


def cut_texts(window: QWidget) -> list[str]:
    """Describe each visible label, button, combo box, spin box and column header smaller than its text needs."""
    return sorted({text for widget in _visible_widgets(window) for text in _cut(widget)})


def _visible_widgets(parent: QWidget) -> Iterator[QWidget]:
    """Yield all that is visible in a widget; a hidden view, with its thousand widgets, is not entered."""
    for child in parent.children():
        if isinstance(child, QWidget) and child.isVisible():
            yield child
            yield from _visible_widgets(child)


def _cut(widget: QWidget) -> Iterator[str]:
    match widget:
        case ElidedLabel():
            return  # it marks the cut with an ellipsis
        case QLabel() if widget.minimumWidth() != 1 and widget.text():  # a sentence of the data may be longer
            yield from _within(widget, widget.text(), _needed_by_label(widget))
        case QAbstractButton() if widget.text():
            yield from _within(widget, widget.text(), widget.sizeHint())
        case QComboBox():
            yield from _within(widget, widget.currentText(), _needed_by_combo(widget))
        case QAbstractSpinBox():
            text, width = widget.text(), widget.lineEdit().contentsRect().width()
            if width < widget.fontMetrics().horizontalAdvance(text):
                yield f"“{text}” has {width} pixels"
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
    """Describe a widget that is too small, or that exceeds one of its parents; a scroll area may hide a part."""
    if needed.width() > widget.width() or needed.height() > widget.height():
        yield f"“{text}” has {widget.size().toTuple()}, needs {needed.toTuple()}"
    ancestor = widget.parentWidget()
    while ancestor is not None:
        rect = QRect(widget.mapTo(ancestor, QPoint(0, 0)), widget.size())
        area = ancestor.parentWidget()
        if isinstance(area, QScrollArea) and ancestor is area.viewport():
            return
        if not ancestor.rect().contains(rect):
            yield f"“{text}” at {rect.getRect()} is outside of {ancestor.rect().getRect()}"
            return
        ancestor = None if ancestor.isWindow() else area
