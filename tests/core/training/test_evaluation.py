"""The metrics that can choose the best checkpoint."""

from __future__ import annotations

import pytest

from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.plugins_host.host import PluginHost
from core.training.evaluation import require_known_metric


@pytest.mark.parametrize("metric", ["valid/loss", "valid/chrf", "valid/first_letter"])
def test_built_in_metrics_and_those_of_the_plugin_are_known(data: PreparedData, host: PluginHost, metric: str) -> None:
    require_known_metric(metric, data, host)


def test_an_unknown_metric_is_refused_with_the_list_of_all(data: PreparedData, host: PluginHost) -> None:
    with pytest.raises(UserError, match=r"valid/first_letter, valid/loss, .* given 'valid/last_letter'"):
        require_known_metric("valid/last_letter", data, host)
