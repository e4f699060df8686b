# SPDX-License-Identifier: Apache-2.0
"""Where points run: in processes of this machine, or on the workers of a Dask cluster.  Definitions are always traced on this machine."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

from modeloom.emit.simulators import ToolMissing
from modeloom.spec import InputError
from modeloom.sweep.point import Outcome, ended
from modeloom.sweep.run import Executor, Workers
from modeloom.sweep.worker import Request, perform, stop_children

__all__ = ["cluster", "local"]

class Remote(Protocol):
    """A future of Dask."""

    def result(self) -> Outcome: ...

    def release(self) -> None: ...

    def add_done_callback(self, hand_over: Callable[[Remote], None], /) -> None: ...


class Client(Protocol):
    """A client of Dask."""

    def submit(self, perform: Callable[[Request], Outcome], request: Request, /, *, pure: bool) -> Remote: ...

    def close(self) -> None: ...


CONNECT = 10
"""Seconds in which a scheduler must answer."""


@contextmanager
def local(jobs: int | None = None) -> Iterator[Workers]:
    """Runs so many points at a time on this machine (default: as many as it has processor cores)."""
    with _processes(jobs) as perform_here:
        yield Workers(run=perform_here, trace=perform_here)


@contextmanager
def _processes(jobs: int | None = None) -> Iterator[Callable[[Request], Future[Outcome]]]:
    """Processes of this machine, which end afterwards."""
    count = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or os.cpu_count() or 1
    pool = ThreadPoolExecutor(max_workers=count)
    try:
        yield lambda request: pool.submit(perform, request)
    finally:
        # What waits does not begin, and what runs ends with its process.
        pool.shutdown(wait=False, cancel_futures=True)
        stop_children()
        pool.shutdown()


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

    return _on(client)


@contextmanager
def _on(client: Client) -> Iterator[Workers]:
    """Runs points on the workers of a client of Dask, and traces definitions on this machine."""
    with _processes() as perform_here:
        try:
            yield Workers(run=partial(_submitted, client), trace=perform_here)
        finally:
            client.close()


def _submitted(client: Client, request: Request) -> Future[Outcome]:
    """The outcome of a request that a cluster performs."""
    outcome: Future[Outcome] = Future()

    def hand_over(remote: Remote) -> None:
        try:
            outcome.set_result(_outcome(remote))
        except BaseException as error:
            outcome.set_exception(error)
        remote.release()

    client.submit(perform, request, pure=False).add_done_callback(hand_over)
    return outcome


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


def _outcome(future: Remote) -> Outcome:
    """The outcome of a point on a cluster.  One whose workers were lost again and again has crashed."""
    try:
        return future.result()
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        return ended(time.monotonic(), "crashed", f"the cluster lost the point: {type(error).__name__}: {first}")
