"""The options of a run that goes on, some of them changed on this machine, say because its corpus was moved."""

from __future__ import annotations

from typing import Any

from core.config import DatasetConfig
from core.errors import UserError
from core.plugins_host.host import PluginHost


def resolve_local_options(dataset: DatasetConfig, local_options: dict[str, Any], host: PluginHost) -> dict[str, Any]:
    """`local_options` with defaults; what is refused of the run's own options too is accepted.

    Raises UserError for any other unusable option.
    """
    refused = _refusal(dataset.options, dataset, host)
    is_known = refused is not None and _refusal(local_options, dataset, host) == refused
    return host.options(dataset.plugin, local_options, accepted=is_known)


def _refusal(options: dict[str, Any], dataset: DatasetConfig, host: PluginHost) -> str | None:
    try:
        host.options(dataset.plugin, options)
    except UserError as error:
        return str(error)
    return None
