# SPDX-License-Identifier: Apache-2.0
"""The modes of ``wide_modes.py`` once more, in plain Python on numbers, without the project's field or operations.

A block of 32 bytes is a little-endian number; bit i is the coefficient of x^i.
"""

from __future__ import annotations

from tests.generality.quad256 import Quad256

SIZE = 32
MODULUS = (1 << 256) + 0b10000100101


def times_x(a: int) -> int:
    """a * x."""
    a <<= 1
    return a ^ MODULUS if a >> 256 else a


def product(a: int, b: int) -> int:
    """a * b, bit by bit of b from the highest."""
    result = 0
    for i in reversed(range(256)):
        result = times_x(result)
        if b >> i & 1:
            result ^= a
    return result


def horner(h: int, blocks: list[int]) -> int:
    """X_1 h^m + … + X_m h."""
    total = 0
    for block in blocks:
        total = product(total ^ block, h)
    return total


def split(data: bytes) -> list[int]:
    """Blocks; zeros behind a partial last one."""
    return [int.from_bytes(data[at : at + SIZE], "little") for at in range(0, len(data), SIZE)]


def joined(blocks: list[int]) -> bytes:
    """Bytes of whole blocks."""
    return b"".join(block.to_bytes(SIZE, "little") for block in blocks)


class _Reference:
    def __init__(self, key: bytes):
        self.quad = Quad256(key[:SIZE])

    def enc(self, x: int) -> int:
        return int.from_bytes(self.quad.encrypt(x.to_bytes(SIZE, "little")), "little")

    def dec(self, x: int) -> int:
        return int.from_bytes(self.quad.decrypt(x.to_bytes(SIZE, "little")), "little")


class WideHEH(_Reference):
    """The key is that of Quad256, then h."""

    def __init__(self, key: bytes):
        super().__init__(key)
        self.h = int.from_bytes(key[SIZE:], "little")

    def _sector(self, tweak: bytes, data: bytes, decrypt: bool) -> bytes:
        h = self.h
        h3 = product(product(h, h), h)
        b = self.enc(product(product(h3, h3), int.from_bytes(tweak, "little")) ^ self.enc(1))
        before, behind = (times_x(b), b) if decrypt else (b, times_x(b))
        cipher = self.dec if decrypt else self.enc
        *head, last = split(data)
        u = last ^ horner(h, head)
        v = cipher(u ^ before) ^ behind
        result = []
        for block in head:
            before, behind = times_x(before), times_x(behind)
            result.append(cipher(block ^ u ^ before) ^ behind ^ v)
        return joined([*result, v ^ horner(h, result)])

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        return self._sector(tweak, data, False)

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        return self._sector(tweak, data, True)


class WideHCTR(_Reference):
    """The key is that of Quad256."""

    def _hash(self, tweak: bytes, rest: bytes) -> int:
        partial = len(rest) % SIZE != 0
        length = 16 * len(tweak) + (3 if partial else 2)
        return horner(self.enc(0), [length, *split(tweak), *split(rest + b"\x01" if partial else rest)])

    def _counter(self, s: int, rest: bytes) -> bytes:
        count = -(-len(rest) // SIZE)
        stream = joined([self.enc(s ^ i) for i in range(1, count + 1)])
        return bytes(a ^ b for a, b in zip(rest, stream))

    def encrypt(self, tweak: bytes, data: bytes) -> bytes:
        first, rest = int.from_bytes(data[:SIZE], "little"), data[SIZE:]
        mm = first ^ self._hash(tweak, rest)
        uu = self.enc(mm)
        rest = self._counter(mm ^ uu ^ self.enc(1), rest)
        return joined([uu ^ self._hash(tweak, rest)]) + rest

    def decrypt(self, tweak: bytes, data: bytes) -> bytes:
        first, rest = int.from_bytes(data[:SIZE], "little"), data[SIZE:]
        uu = first ^ self._hash(tweak, rest)
        mm = self.dec(uu)
        rest = self._counter(mm ^ uu ^ self.enc(1), rest)
        return joined([mm ^ self._hash(tweak, rest)]) + rest
