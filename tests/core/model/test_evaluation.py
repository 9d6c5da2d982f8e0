"""The context manager `evaluating`."""

import pytest
import torch

from core.model.evaluation import evaluating
from tests.core.model.builders import small_model


@pytest.mark.parametrize("training", [True, False])
def test_the_mode_is_restored_even_after_an_error(training: bool) -> None:
    model = small_model().train(training)
    with pytest.raises(ZeroDivisionError), evaluating(model):
        assert not model.decoder.training
        assert torch.is_inference_mode_enabled()
        raise ZeroDivisionError
    assert model.training is model.decoder.training is training
    assert not torch.is_inference_mode_enabled()
