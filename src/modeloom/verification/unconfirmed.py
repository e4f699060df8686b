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
        return (
            f"no published vector confirms the mode {description.mode} or the cipher {description.cipher}, because they are compared with "
            f"nothing but their definitions in {where}"
        )
    return f"no published vector confirms the mode {description.mode}, because it is compared with nothing but its definition in {where}"


def _is_users(definition: str) -> bool:
    """Whether a definition is in a file, or in an installed package of others."""
    return ":" in definition or not type(find_any(definition)).__module__.startswith("modeloom.modes.")
