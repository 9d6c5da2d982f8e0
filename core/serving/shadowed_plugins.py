"""Runs whose plugin has the name of one that came with Headlight, with which they may have begun."""

from __future__ import annotations

from core.errors import UserError
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import is_built_in
from core.run_folder import RunFolder


def replaced_plugin_advice(run: RunFolder, host: PluginHost) -> str:
    """Advice that names such a plugin; empty if there is none. A run does not record which of the two it began with."""
    plugin = run.config().dataset.plugin
    infos = [info for info in host.plugins() if info.name == plugin]
    own = [info for info in infos if not is_built_in(info)]
    if len(own) != 1 or len(infos) == 1:
        return ""
    return (
        f"{own[0].origin} replaces the plugin {plugin!r} that came with Headlight: if the run began with that one, "
        "move this one away or give it another name."
    )


def require_known_options(run: RunFolder, host: PluginHost) -> None:
    """Raise UserError if the run's plugin no longer knows the run's options."""
    dataset = run.config().dataset
    try:
        host.options(dataset.plugin, dataset.options, accepted=True)
    except UserError as error:
        raise UserError(error.sentence, replaced_plugin_advice(run, host) or error.advice) from None
