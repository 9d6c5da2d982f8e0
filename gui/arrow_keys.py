"""How the arrow keys move in anything with rows and columns."""

from PySide6.QtCore import Qt

ARROWS = {Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1)}
"""Key -> (rows down, columns to the right)."""
