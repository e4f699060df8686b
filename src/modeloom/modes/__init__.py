# SPDX-License-Identifier: Apache-2.0
"""The modes of this folder, of installed packages (entry-point group ``modeloom.modes``), and of files given by path."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.by_path import load
from modeloom.modes.ccm import CCM
from modeloom.modes.cmc import CMC
from modeloom.modes.deoxys_i import DeoxysI
from modeloom.modes.deoxys_ii import DeoxysII
from modeloom.modes.eme import EME
from modeloom.modes.eme2 import EME2
from modeloom.modes.gcm import GCM
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.modes.hch import HCH, HCHfp
from modeloom.modes.hctr import HCTR
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH, HEHPermuted, HEHPoly
from modeloom.modes.hmch import HMCH, HMCHPoly
from modeloom.modes.ocb3 import OCB3
from modeloom.modes.tet import TET
from modeloom.modes.xcb import XCB
from modeloom.modes.xcb_1619 import XCB1619
from modeloom.modes.xts import XTS, XTSGB, XTSIEEE
from modeloom.spec import InputError, Mode, UnknownName, checked_mode
from modeloom.spec.attributes import checked_stream
from modeloom.spec.stream import StreamMode

__all__ = ["BUILT_IN", "ON_CIPHER", "STREAMS", "VARIANTS", "all_modes", "all_streams", "find", "find_any"]

BUILT_IN: tuple[type[Mode], ...] = (
    HCTR2, HEH, HEHPermuted, HEHPoly, HMCH, HMCHPoly, HCTR, HCH, HCHfp, XCB, XCB1619, TET, EME, EME2, CMC, XTS,
)  # fmt: skip

STREAMS: tuple[type[StreamMode], ...] = (AESOTR, CCM, DeoxysI, DeoxysII, GCM, GCMSIV, OCB3)
"""The stream modes."""

VARIANTS: tuple[type[Mode], ...] = (XTSGB, XTSIEEE)
"""Modes that differ from one of the above by what another standard says of another cipher."""

ON_CIPHER: dict[tuple[str, str], str] = {("xts", "sm4"): "xts-gb"}
"""What the name of a mode stands for with a cipher whose standard has the mode in another form."""


def all_modes() -> dict[str, type[Mode]]:
    """All known modes by name, in alphabetical order.  An installed mode cannot replace a built-in one."""
    modes = {mode.name: mode for mode in BUILT_IN}
    for point in sorted(entry_points(group="modeloom.modes"), key=lambda point: point.name):
        try:
            mode = point.load()
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            raise InputError(f"entry point {point.name!r} of modeloom.modes cannot be loaded: {text}") from error
        if not (isinstance(mode, type) and issubclass(mode, Mode)):
            raise InputError(f"entry point {point.name!r} of modeloom.modes is not a Mode; let it name a subclass of modeloom.spec.Mode")
        modes.setdefault(mode.name, mode)
    return dict(sorted(modes.items()))


def all_streams() -> dict[str, type[StreamMode]]:
    """All known stream modes by name, in alphabetical order."""
    return {mode.name: mode for mode in sorted(STREAMS, key=lambda mode: mode.name)}


def find_any(name: str, folder: str | Path = "", cipher: str | None = None) -> Mode | StreamMode:
    """Finds a mode on sectors or a stream mode; otherwise as ``find``."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a mode must be str, not {name!r}")
    if ":" in name:
        return load(name, folder)
    for_messages = all_streams()
    if name in for_messages:
        return checked_stream(for_messages[name])
    try:
        return find(name, folder, cipher)
    except UnknownName as error:
        raise UnknownName("mode", error.name, [*for_messages, *all_modes(), *(mode.name for mode in VARIANTS)]) from None


def find(name: str, folder: str | Path = "", cipher: str | None = None) -> Mode:
    """Finds a mode by its name or, if there is a colon in it, by file and class.  Raises ``UnknownName`` or ``InputError``.

    With a cipher it is the form that the standard of that cipher has (``ON_CIPHER``).

    A relative path starts at ``folder``.  This is the current folder, or that of the core whose ``core.json`` has the name.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a mode must be str, not {name!r}")
    if ":" in name:
        mode = load(name, folder)
        if isinstance(mode, StreamMode):
            raise InputError(f"{mode.name} is a stream mode: it works on messages, and this works on sectors")
        return mode
    if name in all_streams():
        raise InputError(f"{name} is a stream mode: it works on messages, and this works on sectors")
    name = ON_CIPHER.get((name, cipher or ""), name)
    known = {mode.name: mode for mode in (*VARIANTS, *BUILT_IN)}
    # Entry points take several milliseconds to find, and none replaces a built-in mode.
    modes = known if name in known else known | all_modes()
    if name not in modes:
        raise UnknownName("mode", name, modes)
    return checked_mode(modes[name])
