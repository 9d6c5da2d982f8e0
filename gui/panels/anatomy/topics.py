"""The topics of the Anatomy view, in the order of a lecture."""

from __future__ import annotations

from collections.abc import Callable

from gui.context import Context
from gui.panels.anatomy.dot_product import DotProductTopic
from gui.panels.anatomy.label_smoothing import LabelSmoothingTopic
from gui.panels.anatomy.masks import MasksTopic
from gui.panels.anatomy.model_diagram import ModelTopic
from gui.panels.anatomy.noam import NoamTopic
from gui.panels.anatomy.positions import PositionsTopic
from gui.panels.anatomy.topic import Topic

TopicFactories = dict[type[Topic], Callable[[], Topic]]


def topics_of(context: Context) -> TopicFactories:
    """Topic class -> function that makes the topic."""
    theme = context.theme
    return {
        ModelTopic: lambda: ModelTopic(theme),
        PositionsTopic: lambda: PositionsTopic(theme),
        MasksTopic: lambda: MasksTopic(context),
        DotProductTopic: lambda: DotProductTopic(context),
        LabelSmoothingTopic: lambda: LabelSmoothingTopic(theme),
        NoamTopic: lambda: NoamTopic(context),
    }
