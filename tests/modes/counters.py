# SPDX-License-Identifier: Apache-2.0
"""Counter modes of the tests' own: the tweak is the first counter block, and the sector is as long as a disk's.

They are stream ciphers without an authenticator, and encrypt two versions of a sector under one key stream: for tests alone.
"""

from __future__ import annotations

from modeloom.spec import Keys, Mode


class CounterMode(Mode):
    """X_i xor E(T + i), the counter of SP 800-38A."""

    name = "test-ctr"
    title = source = security = "a test"
    wide = False
    bits, order = 128, "big"

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        return [x ^ o.enc(o.add(t[0], i, self.bits, self.order)) for i, x in enumerate(p, 1)]

    decrypt = encrypt


class Counter64(CounterMode):
    name = "test-ctr64"
    bits = 64


class Counter32Little(CounterMode):
    """The counter of GCM-SIV."""

    name = "test-ctr32le"
    bits, order = 32, "little"


class Counter64Little(CounterMode):
    name = "test-ctr64le"
    bits, order = 64, "little"


class Counter128Little(CounterMode):
    name = "test-ctr128le"
    order = "little"


class AllCounters(CounterMode):
    """Every counter in one mode, so that one adder has several of them; one counts backwards."""

    name = "test-all-counters"

    def encrypt(self, o, k, t, p):
        ways = [(128, "big"), (64, "big"), (32, "big"), (128, "little"), (64, "little"), (32, "little")]
        return [x ^ o.enc(o.add(t[0], -7 if i == 2 else i + 1, *ways[i % 6])) for i, x in enumerate(p)]

    decrypt = encrypt
