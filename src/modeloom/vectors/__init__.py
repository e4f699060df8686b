# SPDX-License-Identifier: Apache-2.0
"""Published test vectors, as JSON in the style of Wycheproof.  ``tools/vectors.py`` makes the files.

All values are lower-case hexadecimal strings, byte 0 first.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

# The files with vectors of a mode, with the key format of modeloom. A mode without published vectors has no entry.
_FILES_OF_MODE = {
    "ccm": ("ccm_wycheproof",),
    "deoxys-i": ("deoxys_i",),
    "deoxys-ii": ("deoxys_ii",),
    "eme": ("eme_aes256",),
    "eme2": ("eme2_gladman",),
    "gcm": (
        "gcm_botan",
        "gcm_cavp_decrypt",
        "gcm_cavp_encrypt",
        "gcm_cavp_iv96",
        "gcm_gladman",
        "gcm_sm4",
        "gcm_wycheproof",
        "gmac_botan",
        "gmac_wycheproof",
    ),
    "gcm-siv": ("gcm_siv_wycheproof",),
    "hctr": ("hctr_sm4",),
    "hctr2": ("hctr2_aes128", "hctr2_aes256"),
    "ocb3": ("ocb3_botan",),
    "xcb-1619": ("xcb_1619",),
    "xts": ("xts_botan", "xts_gladman"),
    "xts-gb": ("xts_sm4_gb",),
    "xts-ieee": ("xts_sm4_ieee",),
}


def names() -> tuple[str, ...]:
    """The names of all vector files, in alphabetical order."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in files if name.endswith(".json")))


def load(name: str) -> dict[str, Any]:
    """The vector file *name*, without ``.json``.

    Its members are ``algorithm``, ``source``, ``licence``, ``schema``, ``notes`` (what each flag means),
    ``numberOfTests`` and ``tests``; and ``cipher`` if that is another than AES.

    Raises
    ------
    TypeError
        *name* is not a string.
    ValueError
        There is no such file.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a vector file must be a str, not {type(name).__name__}")
    if name not in names():
        raise ValueError(f"no vector file {name!r}; there are {', '.join(names())}")
    file: dict[str, Any] = json.loads((resources.files(__name__) / f"{name}.json").read_text(encoding="utf-8"))
    return file


def for_mode(mode_name: str, cipher: str = "aes") -> list[dict[str, Any]]:
    """All tests of a mode with one block cipher, file by file: ``key``, ``tweak``, ``pt``, ``ct`` and Wycheproof's members.

    A stream mode has ``nonce`` and ``aad`` for the tweak, and ``tag``. A test with the result "invalid" must be refused, and has a
    ``pt`` only where its source gives one. The list is empty if none are published. ``tcId`` counts within a file, so it may occur
    once for each file.
    """
    files = map(load, _FILES_OF_MODE.get(mode_name, ()))
    return [test for file in files if file.get("cipher", "aes") == cipher for test in file["tests"]]


def count(mode_name: str) -> int:
    """The number of published tests of a mode, with any block cipher; 0 if none are published."""
    return sum(load(name)["numberOfTests"] for name in _FILES_OF_MODE.get(mode_name, ()))
