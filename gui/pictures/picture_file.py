"""Renders widgets for a file: PNG at three times the screen's resolution, SVG and PDF as lines and text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from math import ceil, sqrt

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QPoint, QRect, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QImageWriter, QPageSize, QPaintDevice, QPainter, QPdfWriter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from gui.colours import LIGHT
from gui.pictures.plot_lines import lines_as_shapes
from gui.theme import GRID

Encoder = Callable[[], bytes]  # encodes a picture that is already drawn: for a large PNG that takes seconds

_PNG_SCALE = 3
_LONGEST_SIDE = 32_767  # pixels: Qt paints nothing beyond
_MOST_PIXELS = 64_000_000  # 256 MB in memory
_MARGIN = GRID  # around the widgets, and between them
_DPI = 96  # at this resolution a pixel on the screen is a pixel on the page


def encoders_of(parts: Sequence[QWidget], title: str) -> dict[str, Encoder]:
    """What these widgets show now, one below another, in each of `FORMATS`; viewers of files show the title."""
    return {suffix: draw(parts, title) for suffix, draw in FORMATS.items()}


def render_image(parts: Sequence[QWidget]) -> QImage:
    """The widgets as an image at `_PNG_SCALE` times the screen's resolution; at less if it would be too large."""
    width, height = _size(parts).toTuple()
    scale = min(_PNG_SCALE, _LONGEST_SIDE / max(width, height), sqrt(_MOST_PIXELS / (width * height)))
    image = QImage(ceil(width * scale), ceil(height * scale), QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(scale)
    _render(parts, image)
    return image


def _png(parts: Sequence[QWidget], title: str) -> Encoder:
    image = render_image(parts)
    image.setText("Title", title)
    return partial(_png_bytes, image)


def _png_bytes(image: QImage) -> bytes:
    data, buffer = _buffer()
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(data.data())


def _svg(parts: Sequence[QWidget], title: str) -> Encoder:
    data, buffer = _buffer()
    page = QSvgGenerator()
    page.setOutputDevice(buffer)
    page.setSize(_size(parts))
    page.setViewBox(QRect(QPoint(), _size(parts)))
    page.setResolution(_DPI)
    page.setTitle(title)
    _render(parts, page)
    return lambda: bytes(data.data())


def _pdf(parts: Sequence[QWidget], title: str) -> Encoder:
    data, buffer = _buffer()
    page = QPdfWriter(buffer)
    page.setResolution(_DPI)
    page.setPageSize(QPageSize(QSizeF(_size(parts)) / _DPI, QPageSize.Unit.Inch))
    page.setPageMargins(QMarginsF())
    page.setTitle(title)
    _render(parts, page)
    return lambda: bytes(data.data())


FORMATS = {".svg": _svg, ".png": _png, ".pdf": _pdf}  # by the suffix of the file


def _buffer() -> tuple[QByteArray, QBuffer]:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    return data, buffer


def _size(parts: Sequence[QWidget]) -> QSize:
    width = max(part.width() for part in parts)
    return QSize(width + 2 * _MARGIN, sum(part.height() + _MARGIN for part in parts) + _MARGIN)


def _render(parts: Sequence[QWidget], onto: QPaintDevice) -> None:
    with QPainter(onto) as painter:
        painter.fillRect(QRect(QPoint(), _size(parts)), QColor(LIGHT.surface))
        top = _MARGIN
        for part in parts:
            with _plots_as_shapes(part):  # QWidget's `render`, since PlotWidget has another method of that name
                QWidget.render(part, painter, QPoint(_MARGIN, top), QRegion(), QWidget.RenderFlag.DrawChildren)
            top += part.height() + _MARGIN


@contextmanager
def _plots_as_shapes(part: QWidget) -> Iterator[None]:
    plots = [part] if isinstance(part, pg.PlotWidget) else part.findChildren(pg.PlotWidget)
    with ExitStack() as stack:
        for plot in plots:
            if plot.isVisibleTo(part):
                stack.enter_context(lines_as_shapes(plot))
        yield
