"""Reading settings from a text, and the sentences that refuse wrong ones."""

from __future__ import annotations

import pytest

from core.config import RunConfig, config_from_document
from core.errors import UserError
from core.settings.overriding import override
from core.user_input.strict_yaml import read_yaml

BASE = "dataset: {plugin: copy_task}\n"


def read(text: str, *overrides: str) -> RunConfig:
    return config_from_document(override(read_yaml(text, "run.yaml"), overrides))


def refusal(text: str, *overrides: str) -> str:
    with pytest.raises(UserError) as exc_info:
        read(text, *overrides)
    sentence = str(exc_info.value)
    assert "\n" not in sentence and sentence.endswith((".", "?"))
    return sentence
