# SPDX-License-Identifier: Apache-2.0
"""modeloom: a compiler from block-cipher modes to hardware.

``model(name, key)`` is the software model of a mode, ``compile(mode, options)`` its schedule and proved program, and
``core(directory)`` the simulation of a core that ``modeloom build`` has emitted.
"""

from __future__ import annotations

from typing import Any

from modeloom.version import VERSION as __version__

__all__ = ["__version__", "compile", "core", "model"]


def model(name: str, key: bytes, cipher: str | None = None) -> Any:
    """The software model of a mode (``modeloom.definition.software.Model``), with ``encrypt(tweak, data)`` and ``decrypt``.

    ``key`` is the mode's whole key, parts in its documented order; ``cipher`` is "aes" or "sm4", by default the mode's own.  Raises
    ``InputError`` for an unknown mode or cipher or a wrong length, and ``TypeError`` for a key, tweak or data that are not bytes.
    """
    from modeloom.definition.software import model as software_model

    return software_model(name, key, cipher)


def core(directory: str, **options: Any) -> Any:
    """The simulated core (``modeloom.product.simulated.SimulatedCore``) of a folder made by ``modeloom build``."""
    from modeloom.product.simulated import core as simulated_core

    return simulated_core(directory, **options)


def compile(mode: Any, units: Any = None, **changes: Any) -> Any:
    """Compiles a mode for a unit set and proves the program (``modeloom.compiler.compile.Compiled``).

    Parameters
    ----------
    mode : str or Mode
        A mode's name, ``FILE.py:CLASS``, or a definition: its class or an instance.
    units : Options or str or None
        Options, the name of a preset, or None for the defaults.
    **changes
        Options that differ from ``units``, such as ``sector=4096``.

    Raises
    ------
    TypeError
        For a mode, units or a value of an option of another type.
    InputError
        For what cannot be built; the message is one line.
    """
    from modeloom.compiler.compile import compile_mode
    from modeloom.compiler.options import Options
    from modeloom.compiler.presets import preset
    from modeloom.modes import find

    options = preset(units or "default") if units is None or isinstance(units, str) else units
    if not isinstance(options, Options):
        raise TypeError(f"units must be Options or a preset's name, not {units!r}")
    return compile_mode(find(mode) if isinstance(mode, str) else mode, options.but(**changes))
