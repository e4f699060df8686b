# SPDX-License-Identifier: Apache-2.0
"""Which cipher of a user made a component, and for which request."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from modeloom.ciphers.description import BlockCipher
    from modeloom.ciphers.request import CoreRequest

__all__ = ["made", "users_cipher"]

_MADE: WeakKeyDictionary[object, tuple[BlockCipher, CoreRequest]] = WeakKeyDictionary()


def made(component: object, cipher: BlockCipher, request: CoreRequest) -> None:
    """Notes who made a component."""
    _MADE[component] = cipher, request


def users_cipher(component: object) -> tuple[BlockCipher, CoreRequest] | None:
    """The cipher of a user that made a component, and the request for it; None for a component of this project."""
    return _MADE.get(component)
