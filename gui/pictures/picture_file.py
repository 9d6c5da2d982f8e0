"""A widget as a picture for a paper: PNG at three times the size of the screen, SVG and PDF as lines and text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QPoint, QRect, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QImageWriter, QPageSize, QPaintDevice, QPainter, QPdfWriter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from core.errors import UserError
from core.run_files.atomic import write_whole
from gui.theme import GRID

SUFFIXES = (".png", ".svg", ".pdf")
_PNG_SCALE = 3
_MARGIN = GRID  # around the widget
_DPI = 96  # at which a pixel of the screen is a pixel of the page


def save_picture(widget: QWidget, background: QColor, path: Path) -> None:
    """Write what the widget shows, in the format of the file's suffix. Raises UserError for another one."""
    match path.suffix.lower():
        case ".png":
            data = _png(widget, background)
        case ".svg":
            data = _svg(widget, background)
        case ".pdf":
            data = _pdf(widget, background)
        case _:
            raise UserError(f"{path.name}: a picture's name ends in {', '.join(SUFFIXES)}.", "Choose one of them.")
    write(path, data)


def write(path: Path, data: bytes) -> None:
    """Write a file that a person chose. Raises UserError where that cannot be done."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Choose another folder.") from error


def image_of_widget(widget: QWidget, background: QColor) -> QImage:
    """The widget in pixels, at `_PNG_SCALE` times the size of the screen's."""
    image = QImage(_size(widget) * _PNG_SCALE, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(_PNG_SCALE)
    _render(widget, background, image)
    return image


def _png(widget: QWidget, background: QColor) -> bytes:
    data, buffer = _buffer()
    QImageWriter(buffer, QByteArray(b"png")).write(image_of_widget(widget, background))
    return bytes(data.data())


def _svg(widget: QWidget, background: QColor) -> bytes:
    data, buffer = _buffer()
    page = QSvgGenerator()
    page.setOutputDevice(buffer)
    page.setSize(_size(widget))
    page.setViewBox(QRect(QPoint(), _size(widget)))
    page.setResolution(_DPI)
    page.setTitle(widget.accessibleName())
    _render(widget, background, page)
    return bytes(data.data())


def _pdf(widget: QWidget, background: QColor) -> bytes:
    data, buffer = _buffer()
    page = QPdfWriter(buffer)
    page.setResolution(_DPI)
    page.setPageSize(QPageSize(QSizeF(_size(widget)) / _DPI, QPageSize.Unit.Inch))
    page.setPageMargins(QMarginsF())
    page.setTitle(widget.accessibleName())
    _render(widget, background, page)
    return bytes(data.data())


def _buffer() -> tuple[QByteArray, QBuffer]:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    return data, buffer


def _size(widget: QWidget) -> QSize:
    return widget.size() + QSize(2 * _MARGIN, 2 * _MARGIN)


def _render(widget: QWidget, background: QColor, onto: QPaintDevice) -> None:
    with QPainter(onto) as painter:
        painter.fillRect(QRect(QPoint(), _size(widget)), background)
        widget.render(painter, QPoint(_MARGIN, _MARGIN), QRegion(), QWidget.RenderFlag.DrawChildren)
