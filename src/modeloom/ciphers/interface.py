# SPDX-License-Identifier: Apache-2.0
"""The version of what a file of a user may import and call, and the new form of each call that has changed.

``docs/user-api.md`` lists the interface, and a test compares it with the code.  A change of a call is a new version, an entry below, and a
row on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modeloom.spec import DefinitionError

__all__ = ["FORMS", "INTERFACE", "OLD_DIRECTIONS", "OLD_MEMBERS", "old_form", "refuse_call"]

INTERFACE = 2
"""Version of the interface."""

FORMS = {
    "timing": "timing(request)", "hardware": "hardware(request)", "round_keys": "round_keys(key_bits)", "software": "software(key)",
    "key_schedule": "key_schedule(key_bits)", "key_schedule_for": "key_schedule_for(key_sizes)",
    "iterative_schedule": "iterative_schedule(key_sizes)", "expand": "expand(key)",
}  # fmt: skip
"""The functions of a description in their form of today."""

_REQUEST = "a CoreRequest with direction, form, key_bits, stages, slots and sbox"

_OLD = {
    "timing": {4: f"timing(core, architecture, key_bits, stages) of interface 1 is now timing(request), {_REQUEST}"},
    "hardware": {
        count: f"hardware(core, architecture, key_bits, stages, slots{more}) of interface 1 is now hardware(request), {_REQUEST}"
        for count, more in ((5, ""), (6, ", sbox"))
    },
}
"""Functions of earlier versions, by the number of their arguments, with their new form."""

OLD_DIRECTIONS = {"enc": "encrypt", "dec": "decrypt"}
"""Names of directions in interface 1."""

OLD_MEMBERS = {"core": "direction", "architecture": "form"}
"""Arguments of interface 1, and the members of a request that replace them."""


def old_form(word: str, arguments: int) -> str | None:
    """The new form of a function that takes this number of arguments; None if no earlier version had such a function."""
    return _OLD.get(word, {}).get(arguments)


def refuse_call(name: str, members: Mapping[str, bool], values: tuple[object, ...], given: Mapping[str, object]) -> None:
    """Raises ``DefinitionError`` for a call with other arguments than keywords of today.

    Parameters
    ----------
    name : str
        What is called.
    members : mapping
        Its keywords, and whether each is needed.
    values, given : tuple, mapping
        The arguments without and with keywords.
    """
    form = f"{name}({', '.join(f'{word}=...' for word, needed in members.items() if needed)})"
    if values:
        raise DefinitionError(f"{name}() takes keywords only since interface 2: {form}; docs/user-api.md lists them")
    unknown = [word for word in given if word not in members]
    if unknown:
        raise DefinitionError(f"{name}() has no {unknown[0]}; docs/user-api.md lists its members, of which {form} are needed")
    missing = [word for word, needed in members.items() if needed and word not in given]
    if missing:
        raise DefinitionError(f"{name}() lacks {', '.join(missing)}: {form}; docs/user-api.md describes them")


def arguments_of(function: Callable[..., object]) -> int | None:
    """The number of arguments that a function needs, as far as this is known."""
    import inspect

    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty for one in found)
