# SPDX-License-Identifier: Apache-2.0
"""What no published vector confirms: a mode, a cipher, or both, that a user has defined.

All checks compare a core with its definition.  If the definition itself is wrong, only vectors of others can find it.
"""

from __future__ import annotations

from modeloom.modes import find_any
from modeloom.product.description import Description

__all__ = ["unconfirmed"]


def unconfirmed(description: Description) -> str:
    """One sentence; empty if the mode and the cipher are those of this project, whose vectors are in its tests."""
    if not _is_users(description.definition):
        return ""
    where = description.definition
    if description.own_cipher:
        what, those = f"mode {description.mode} or the cipher {description.cipher}", "they are compared only with their own definitions"
    else:
        what, those = f"mode {description.mode}", "it is compared only with its own definition"
    return f"no published vector confirms the {what}: {those} in {where}"


def _is_users(definition: str) -> bool:
    """Whether a definition is in a file, or in an installed package of others."""
    return ":" in definition or not type(find_any(definition)).__module__.startswith("modeloom.modes.")
