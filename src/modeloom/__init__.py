# SPDX-License-Identifier: Apache-2.0
"""modeloom: a compiler from block-cipher modes to hardware.

- ``model(name, key)`` is the software model of a mode.
- ``compile(mode, options)`` gives its schedule and its proved program.
- ``simulate(directory)`` runs a core that ``modeloom build`` has written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modeloom.spec.errors import AuthenticationError
from modeloom.version import VERSION as __version__

if TYPE_CHECKING:
    from pathlib import Path

    from modeloom.compiler.compile import Compiled
    from modeloom.options.sectors import Options
    from modeloom.product.simulated import SimulatedCore
    from modeloom.product.simulated_lwc import SimulatedLwcCore
    from modeloom.product.simulated_messages import SimulatedStreamCore
    from modeloom.spec import Mode

__all__ = ["AuthenticationError", "__version__", "compile", "core", "model", "simulate"]


def model(name: str, key: bytes, cipher: str | None = None) -> Any:
    """Makes the software model of a mode.

    Parameters
    ----------
    name : str
        A mode's name, or ``FILE.py:CLASS``.
    key : bytes
        The mode's whole key, its parts in the documented order.  The length chooses the cipher's key size.
    cipher : str, optional
        The block cipher, such as "sm4".  The default is the mode's own.

    Returns
    -------
    Model or StreamModel
        A mode on sectors has ``encrypt(tweak, data)`` and ``decrypt(tweak, data)`` on bytes.  A stream mode has
        ``seal(nonce, text, ad=b"", tag_bytes=16)`` and ``open(nonce, sealed, ad=b"", tag_bytes=16)``, which raises
        ``AuthenticationError`` for a wrong tag.

    Raises
    ------
    InputError
        The mode or the cipher is unknown, or a length is wrong.  A stream mode of the user must open what it seals (``DefinitionError``).
    TypeError
        The key, the tweak or the data are not bytes.
    """
    from modeloom.definition.opened import checked_model
    from modeloom.definition.software import Model
    from modeloom.modes import find_any
    from modeloom.spec.stream import StreamMode

    mode = find_any(name, cipher=cipher)
    return checked_model(mode, key, cipher) if isinstance(mode, StreamMode) else Model(mode, key, cipher)


def compile(mode: str | Mode | type[Mode], options: Options | str | None = None, **changes: Any) -> Compiled:
    """Compiles a mode and proves that the program computes it.

    Parameters
    ----------
    mode : str or Mode
        A mode's name, ``FILE.py:CLASS``, or a definition: its class or an instance.
    options : Options or str, optional
        Options, or the name of a preset.  Without them, the defaults hold.
    **changes
        Options that differ from ``options``, such as ``sector=4096``.  ``units`` is an older name of ``options``.

    Returns
    -------
    Compiled
        The graph, the schedule and the program.  ``explain()`` gives the figures of ``modeloom explain --json``.

    Raises
    ------
    TypeError
        The mode, the options or the value of an option have the wrong type.
    InputError
        The core cannot be built.  The message is one line.
    """
    from modeloom.compiler.compile import compile_mode
    from modeloom.modes import find
    from modeloom.options.sectors import Options, preset

    options = changes.pop("units", None) if options is None else options
    chosen = preset(options or "default") if options is None or isinstance(options, str) else options
    if not isinstance(chosen, Options):
        raise TypeError(f"options must be an Options object or the name of a preset, not {options!r}")
    chosen = chosen.but(**changes)
    return compile_mode(find(mode, cipher=chosen.cipher) if isinstance(mode, str) else mode, chosen)


def simulate(directory: str | Path, **options: Any) -> SimulatedCore | SimulatedStreamCore | SimulatedLwcCore:
    """Builds a simulation of a core.

    Parameters
    ----------
    directory : str or Path
        A folder that ``modeloom build`` has written.
    **options
        Those of ``modeloom.product.simulated.core``.

    Returns
    -------
    SimulatedCore or SimulatedStreamCore
        A core for sectors has ``load_key(key)``, ``encrypt(tweak, sector)``, ``decrypt(tweak, sector)``, ``run(sectors)`` and ``cycles``.
        A core for messages has ``load_key(key, slot)``, ``seal(nonce, text, ad=b"", slot=0)``, ``open(nonce, sealed, ad=b"", slot=0)``,
        ``run(messages)`` and ``cycles``.

    Raises
    ------
    InputError
        The folder does not contain a core.
    """
    from modeloom.product.simulated import core as simulated_core

    return simulated_core(directory, **options)


core = simulate
"""An older name of ``simulate``."""
