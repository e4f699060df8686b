# SPDX-License-Identifier: Apache-2.0
"""The checks of ``modeloom verify`` for an emitted core.

::

    steps     files, lint, timing channels, bench: for every kind of core; what is told, and what no published vector confirms
    sector    all of it for a core for sectors, with a host that drives it
    stream    for a core for messages
    lwc       for one behind the LWC interface
    front     registers around a core
    clocks    clocks around a core
    host      what the hosts of all kinds have in common; subject and twins are the cores that they drive
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from modeloom.emit import CheckFailed
from modeloom.product.beats import SectorDescription
from modeloom.product.description import Description, versions
from modeloom.product.folder import other_kind, read_description
from modeloom.product.message import LwcDescription
from modeloom.product.messages import StreamDescription
from modeloom.verification.lwc import verify_lwc
from modeloom.verification.sector import verify_sectors
from modeloom.verification.steps import Step, as_json, unconfirmed
from modeloom.verification.stream import verify_messages

__all__ = ["CheckFailed", "Step", "as_json", "verify_core", "versions"]

KINDS: dict[type[Description], Callable[..., Iterator[Step]]] = {
    SectorDescription: verify_sectors, StreamDescription: verify_messages, LwcDescription: verify_lwc,
}  # fmt: skip
"""The functions that verify each kind of core.  Another kind of core is another entry."""


def verify_core(directory: str | Path, **options: object) -> Iterator[Step]:
    """Runs all checks of a core of any kind in ``KINDS``, and yields a step for each that passed.

    Parameters
    ----------
    **options
        Options for this kind of core.  For a core for sectors, they are those of ``sector.verify_sectors``.

    Raises
    ------
    InputError
        The folder holds no core, or a core of a kind without checks.
    CheckFailed, ProofError, TimingChannel
        For the first check that failed.  The message is one line.
    """
    description = read_description(directory)
    verify = KINDS.get(type(description))
    if verify is None:
        raise other_kind(directory, description, "a core for sectors or for messages")
    yield from verify(directory, **options)
    text = unconfirmed(description)
    if text:
        yield Step("unconfirmed", text)
