"""The attention masks."""

import torch

from core.model.masks import causal_mask, padding_mask, target_mask


def test_a_position_sees_itself_and_earlier_ones() -> None:
    assert causal_mask(3, torch.device("cpu")).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_padding_is_hidden_from_every_query() -> None:
    mask = torch.tensor([[True, True, False], [True, False, False]])
    assert padding_mask(mask).shape == (2, 1, 1, 3)
    assert target_mask(mask).shape == (2, 1, 3, 3)
    assert target_mask(mask)[1, 0].tolist() == [[True, False, False]] * 3
    assert target_mask(mask)[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]
