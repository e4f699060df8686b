# SPDX-License-Identifier: Apache-2.0
"""The keys that a core derives of master keys: the derivation for each size, and the round cores that it runs on.

::

    calls of a message      0  1 | 2  3 | 4  5        two round cores: a call each in a batch
    batches                   0      1      2         so many cycles apart as a block has rounds
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from modeloom.ciphers import BlockCipher
from modeloom.ciphers.request import CoreRequest, CoreTiming
from modeloom.definition.messages import derived_under
from modeloom.spec import Cipher, InputError
from modeloom.spec.stream import StreamMode
from modeloom.streams.derive import Derivation, derivation_of, prove_derivation

__all__ = ["DERIVE_TARGET", "MOST_DERIVERS", "DerivedKeys", "derived_keys"]

MOST_DERIVERS = 8
"""Round cores that derive keys."""

DERIVE_TARGET = 64
"""Cycles of the derivation of a key for which a core has enough round cores if a user names no number: those of a message of 1 KB."""


@dataclass(frozen=True)
class DerivedKeys:
    """How a core derives keys.

    Attributes
    ----------
    derivations : tuple of Derivation
        For each size of master keys, in the order of the sizes of the cipher.
    cores : int
        Round cores.
    request : CoreRequest
        The request for one of them, but for the number of its slots.
    timing : CoreTiming
        Cycles from an operand to its result, and from one batch to the next.
    """

    derivations: tuple[Derivation, ...]
    cores: int
    request: CoreRequest
    timing: CoreTiming

    def batches(self, size: int) -> int:
        """Batches of calls of a key of a size, by its number."""
        return -(-self.derivations[size].calls // self.cores)

    @property
    def cycles(self) -> int:
        """Cycles from the derivation of one key to the next, of the size that takes longest."""
        return max(map(self.batches, range(len(self.derivations)))) * self.timing.interval

    def explain(self) -> dict[str, object]:
        """The figures of ``modeloom explain --json``."""
        return {"calls": [each.calls for each in self.derivations], "cores": self.cores, "cycles": self.cycles}

    def prove(self, mode: StreamMode) -> None:
        """Proves that the derivations are those of the definition.  Raises ``ProofError`` if one is not."""
        for bits, derivation in zip(self.request.key_sizes, self.derivations, strict=True):
            prove_derivation(mode, derivation, partial(_derived, mode, bits // 8))


def _derived(mode: StreamMode, key_bytes: int, cipher: Cipher, nonce: bytes) -> bytes:
    """The key of a message under a master key of so many bytes, with any cipher, which has no other key."""
    return derived_under(mode, cipher, None, key_bytes, nonce)


def derived_keys(mode: StreamMode, cipher: BlockCipher, request: CoreRequest, cores: int | None) -> DerivedKeys:
    """The derivation of the keys of a mode on round cores, so many or as many as it needs.

    Raises
    ------
    InputError
        The number is out of range, the cipher has no round core, or the definition derives keys in a way that is not for hardware.
    """
    if cores is not None and not 1 <= cores <= MOST_DERIVERS:
        raise InputError(f"--key-derivers is from 1 to {MOST_DERIVERS}, not {cores}")
    if not cipher.has("encrypt", "multistream") or 1 not in cipher.streams:
        raise InputError(f"--keys derived: {cipher.name} has no round core for one block; build it with --keys inline")
    one = request.but(direction="encrypt", form="multistream", stages=1, streams=1, writers=0, sbox=cipher.sboxes[0])
    derivations, timing = tuple(derivation_of(mode, bits // 8) for bits in one.key_sizes), cipher.timing(one.but(slots=1))
    for count in range(1, MOST_DERIVERS + 1) if cores is None else ():
        if DerivedKeys(derivations, count, one, timing).cycles <= DERIVE_TARGET:
            break
    else:
        count = MOST_DERIVERS if cores is None else cores
    return DerivedKeys(derivations, count, one, timing)
