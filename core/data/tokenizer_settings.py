"""The tokenizer settings of a dataset: what is auto and the plugin decides, and what contradicts its choice."""

from __future__ import annotations

from pydantic import ValidationError

from core.config import AUTO_SIZE, Auto, TokenizerConfig
from core.errors import UserError
from core.plugins_host.plugin_info import PluginInfo
from core.user_input.errors import first_error


def resolve_tokenizer(given: Auto | TokenizerConfig, info: PluginInfo) -> TokenizerConfig:
    """The tokenizer settings, with the plugin's own tokenizer in place of auto."""
    chosen = TokenizerConfig() if given == "auto" else given
    sides = {"src": (chosen.src, info.tokenizer[0]), "tgt": (chosen.tgt, info.tokenizer[1])}
    found = {side: own if name == "auto" else name for side, (name, own) in sides.items()}
    try:
        return TokenizerConfig.model_validate(chosen.model_dump() | found)
    except ValidationError as error:  # the chosen keys contradict each other only with the plugin's own
        _, sentence = first_error(error, TokenizerConfig)
        raise UserError(
            f"dataset.tokenizer.{sentence}",
            f"Plugin {info.name!r} has {' and '.join(info.tokenizer)} where src and tgt are auto: choose both.",
        ) from None


def require_subwords(config: TokenizerConfig) -> None:
    """Raise UserError if a number of subwords is set but no side has any; AUTO_SIZE may be a run's resolved auto."""
    if config.size not in ("auto", AUTO_SIZE) and not config.subwords:
        raise UserError(
            f"dataset.tokenizer.size = {config.size:,} has no effect: src is {config.src} and tgt is {config.tgt}.",
            "Set src, tgt or both to subword or subword_unigram, or size to auto.",
        )


def with_size(config: TokenizerConfig, size: int) -> TokenizerConfig:
    return config.model_copy(update={"size": size})
