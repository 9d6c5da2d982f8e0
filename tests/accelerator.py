"""A simulated accelerator: its tensors count as another device's, and the CPU computes every operation on them.

It shows without a GPU the faults that only a GPU has: an operation between tensors of two devices raises an error, and
an operation that waits for the device is recorded. The same operations give the same bits as on the CPU. Decode in
`no_grad` here: inference mode does not support these tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, library
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_NAME = "pretended"
_READ = {
    "_local_scalar_dense",
    "is_nonzero",
    "equal",
    "nonzero",
    "masked_select",
    "_unique2",
}  # operations whose result the CPU reads

_waits: list[str] = []


class OnDevice(Tensor):
    """A tensor on the device; `here` is the CPU tensor that holds its values."""

    here: Tensor

    @staticmethod
    def __new__(cls, here: Tensor) -> OnDevice:
        made = Tensor._make_wrapper_subclass(
            cls,
            here.shape,
            strides=here.stride(),
            storage_offset=here.storage_offset(),
            dtype=here.dtype,
            device=DEVICE,
        )
        made.here = here
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]  # torch declares it without the class and the operation
        cls, operation: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return _worked_out(operation, args, dict(kwargs or {}))

    @property
    def data(self) -> Tensor:
        return self.detach()

    @data.setter
    def data(self, other: Tensor) -> None:
        """Assigned by `FlatParameters`, which turns each parameter into a view."""
        assert self.shape == other.shape
        self.here = _here(other)

    def __deepcopy__(self, memo: dict[int, Any]) -> OnDevice:
        copied = OnDevice(self.here.clone()).requires_grad_(self.requires_grad)
        copied._is_param = isinstance(self, torch.nn.Parameter)
        return memo.setdefault(id(self), copied)

    def __tensor_flatten__(self) -> tuple[list[str], None]:
        """Make `Module.to` keep each parameter object, as on any device: two names may share one parameter."""
        return ["here"], None

    @staticmethod
    def __tensor_unflatten__(parts: Mapping[str, Tensor], *_: Any) -> OnDevice:
        return OnDevice(parts["here"])

    def tolist(self) -> Any:
        return self.cpu().tolist()


@contextmanager
def waits() -> Iterator[list[str]]:
    """Yield the list of operations in the block that waited for the device, which grows as they run."""
    _waits.clear()
    yield _waits


def _worked_out(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    name = operation._schema.name.removeprefix("aten::")
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
    if name != "copy_":
        _require_one_device(name, tensors)
    leaves = name == "_to_copy" and torch.device(kwargs.get("device", DEVICE)) != DEVICE
    leaves |= name == "copy_" and not isinstance(args[0], OnDevice)
    if leaves or name in _READ or _chooses_by_mask(name, args):
        _waits.append(name)
    kwargs.pop("non_blocking", None)
    result = operation(*tree_map(_here, args), **tree_map(_here, kwargs))
    if leaves:
        return args[0] if name == "copy_" else result
    # Tensors changed in place or passed as `out`.
    written = {id(one.here): one for one in tensors if isinstance(one, OnDevice)}
    return tree_map(lambda one: written.get(id(one), OnDevice(one)) if isinstance(one, Tensor) else one, result)


def _require_one_device(name: str, tensors: list[Tensor]) -> None:
    other_shapes = [tuple(one.shape) for one in tensors if not isinstance(one, OnDevice) and one.dim() > 0]
    if other_shapes:
        raise RuntimeError(f"{name}: tensors of the device beside others, of the shapes {other_shapes}")


def _chooses_by_mask(name: str, args: tuple[Any, ...]) -> bool:
    indices = tree_leaves(args[1:2]) if name.startswith(("index", "_index_put")) else []
    return any(isinstance(one, Tensor) and one.dtype == torch.bool for one in indices)


def _here(one: Any) -> Any:
    if isinstance(one, torch.device):
        return torch.device("cpu")
    return one.here if isinstance(one, OnDevice) else one


def _factory(make: Callable[..., Tensor], num_sizes: int) -> Callable[..., OnDevice]:
    """Make a function that creates tensors create them on the device; of its options, only `dtype` has an effect."""

    def made(*args: Any, dtype: torch.dtype | None = None, **options: Any) -> OnDevice:
        return OnDevice(make(*args[:num_sizes], dtype=dtype))

    return made


def _copied_from(source: Tensor, target: Tensor, non_blocking: bool = False) -> Tensor:
    _here(target).copy_(_here(source))
    return target


_setup_privateuseone_for_python_backend(_NAME)
DEVICE = torch.device(_NAME, 0)
_operations = library.Library("aten", "IMPL", "PrivateUse1")
_operations.impl("_copy_from", _copied_from)
_operations.impl("empty.memory_format", _factory(torch.empty, 1))
_operations.impl("empty_strided", _factory(torch.empty_strided, 2))
for _name, _num_sizes in {"arange": 1, "arange.start": 2, "arange.start_step": 3}.items():
    _operations.impl(_name, _factory(torch.arange, _num_sizes))
