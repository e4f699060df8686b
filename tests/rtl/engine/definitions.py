# SPDX-License-Identifier: Apache-2.0
"""Definitions that show one part of an engine: they add words, tweaks and blocks, and hide nothing."""

from __future__ import annotations

from typing import Any

from modeloom.spec import CIPHER, Keys, Mode


class Words(Mode):
    """Each block shows a word of the key memory: two of the host's, two of set-up's."""

    name = title = source = security = "test-words"
    wide = False
    key_parts = ("A", CIPHER, "B")

    def setup(self, o: Any, key: Any) -> Keys:
        return Keys(A=key.A, B=key.B, C=o.enc(key.A), D=o.enc(key.B ^ o.const(1)))

    def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
        words = (k.A, k.B, k.C, k.D)
        return [x ^ words[i % 4] ^ tweak[0] for i, x in enumerate(p)]

    decrypt = encrypt


class Tweaks(Mode):
    """Every block shows both blocks of the tweak and, through the cipher, those of the sector before it."""

    name = title = source = security = "test-tweaks"
    wide = False
    tweak_sizes = (32,)

    def setup(self, o: Any, key: Any) -> Keys:
        return Keys()

    def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
        return [o.enc(x ^ tweak[0]) ^ o.double(tweak[1], i) for i, x in enumerate(p)]

    def decrypt(self, o: Any, k: Any, tweak: Any, c: Any) -> list[Any]:
        return [o.dec(x ^ o.double(tweak[1], i)) ^ tweak[0] for i, x in enumerate(c)]


class Counters(Mode):
    """Blocks of key stream from two kinds of counters, one adder for both."""

    name = title = source = security = "test-counters"
    wide = False

    def setup(self, o: Any, key: Any) -> Keys:
        return Keys(start=o.add(o.enc(o.const(3)), 9, 64))

    def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
        stream = [o.add32(tweak[0], i + 1) if i % 2 else o.add(tweak[0] ^ k.start, i + 1, 64, "little") for i in range(len(p))]
        return [x ^ o.enc(y) for x, y in zip(p, stream, strict=True)]

    decrypt = encrypt
