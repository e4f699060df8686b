# SPDX-License-Identifier: Apache-2.0
"""Where points run: in processes of this machine, or on the workers of a Dask cluster."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any
from urllib.parse import urlsplit

from modeloom.emit.tools import ToolMissing
from modeloom.spec import InputError
from modeloom.sweep.point import Outcome
from modeloom.sweep.run import Executor
from modeloom.sweep.worker import Request, perform, stop_children

__all__ = ["cluster", "local"]

CONNECT = 10
"""Seconds in which a scheduler must answer."""


def local(jobs: int | None = None) -> Executor:
    """Runs so many points at a time on this machine (default: as many as it has processor cores)."""
    count = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or os.cpu_count() or 1

    def run(requests: Sequence[Request]) -> Iterator[tuple[int, Outcome]]:
        pool = ThreadPoolExecutor(max_workers=min(count, len(requests)))
        try:
            numbers = {pool.submit(perform, request): number for number, request in enumerate(requests)}
            for future in as_completed(numbers):
                yield numbers[future], future.result()
        finally:
            # What waits does not begin, and what runs ends with its process.
            pool.shutdown(wait=False, cancel_futures=True)
            stop_children()
            pool.shutdown()

    return run


def cluster(address: str) -> Executor:
    """Runs points on the workers of a Dask scheduler, such as ``tcp://10.0.0.1:8786``.  A worker that is lost has its points run by others.

    Raises
    ------
    ToolMissing
        Dask is not installed.
    InputError
        No scheduler answers at this address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ToolMissing("Dask is not installed; install it with: pip install 'modeloom[cluster]'") from None
    _answers(address)
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"no Dask scheduler answers at {address}: {first}") from None

    def run(requests: Sequence[Request]) -> Iterator[tuple[int, Outcome]]:
        from distributed import as_completed as ended

        try:
            futures = [client.submit(perform, request, pure=False) for request in requests]
            numbers = {future.key: number for number, future in enumerate(futures)}
            for future in ended(futures, loop=client.loop):
                yield numbers[future.key], _outcome(future)
                future.release()
        finally:
            client.close()

    return run


def _answers(address: str) -> None:
    """Raises ``InputError`` unless something listens at an address.  A client of Dask whose scheduler never answered waits again when it is
    deleted, and then prints a traceback.
    """
    place = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = place.hostname, place.port
    except ValueError as error:
        raise InputError(f"no Dask scheduler answers at {address}: {error}") from None
    if not host or port is None:
        raise InputError(f"--scheduler is an address with a port, such as tcp://10.0.0.1:8786, not {address}")
    if place.scheme in ("tcp", "tls"):
        try:
            socket.create_connection((host, port), timeout=CONNECT).close()
        except OSError as error:
            raise InputError(f"no Dask scheduler answers at {address}: {error}") from None


def _outcome(future: Any) -> Outcome:
    """The outcome of a point on a cluster.  One whose workers were lost again and again has crashed."""
    try:
        outcome: Outcome = future.result()
        return outcome
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        return {
            "status": "crashed", "error": f"the cluster lost the point: {type(error).__name__}: {first}", "result": {}, "seconds": 0.0,
            "blocks": {"reused": 0, "mapped": 0},
        }  # fmt: skip
