"""A request that waits, and its end: an answer or a refusal, unless whoever asked has cancelled it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from core.requests import Request

PendingRequest = tuple[Request[Any], "Future[Any]"]


def answer(future: Future[Any], value: Any) -> None:
    if future.set_running_or_notify_cancel():  # False if it was cancelled
        future.set_result(value)


def refuse(future: Future[Any], error: BaseException) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)
