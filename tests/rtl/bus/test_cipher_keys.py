# SPDX-License-Identifier: Apache-2.0
"""Several cipher keys in a slot: of the host, made by set-up, refused, overwritten."""

from __future__ import annotations

import pytest
from tests.rtl.bus.bench import Host, Traffic, simulate

from modeloom.cycles import FENCE_CYCLES

LAYOUTS: dict[str, dict] = {
    "two, distinct": {"cipher_keys": 2, "distinct_keys": True, "raw_words_after": 0},
    "two of 192 bits and a word": {"cipher_keys": 2, "cipher_key_bits": 192, "key_words": 3, "nonzero_words": (2,)},
    "three made by set-up": {
        "cipher_key_bits": 192, "raw_words_after": 0, "key_words": 6, "derived_keys": ((0, 1), (2, 3), (5, 1)),
    },
    "of all kinds": {
        "cipher_keys": 2, "cipher_key_bits": 256, "raw_words_before": 1, "raw_words_after": 1, "key_words": 7, "distinct_keys": True,
        "derived_keys": ((2, 3), (6, 4)), "nonzero_words": (3, 5),
    },
}  # fmt: skip

CASES = pytest.mark.parametrize("sizes", LAYOUTS.values(), ids=LAYOUTS)


def cipher_keys(p, *keys: bytes) -> bytes:
    """A packet with these cipher keys, and anything but zeros in the words."""
    word = bytes(range(1, p.data.block_bytes + 1))
    return word * p.keys.raw_words_before + b"".join(keys) + word * p.keys.raw_words_after


async def refused(host: Host, slot: int, packet: bytes, nonzero: int) -> None:
    """The packet is an error, and the slot empty and overwritten; ``nonzero`` are the others."""
    host.send_key(slot, packet)
    await host.step()
    await host.until(host.key_idle)
    get = host.ctx.get
    assert get(host.core.bus.key_state.error)
    assert get(host.core.bus.key_state.loaded) == get(host.core.engine.slot_nonzero) == nonzero
    host.keys.pop(slot, None)
    host.send_sector("no key", slot=slot)


@CASES
def test_sectors_of_mixed_slots(sizes: dict) -> None:
    async def script(host: Host) -> None:
        for slot in (1, 0, 1):
            await host.load_key(slot, host.generator.randbytes(host.p.keys.packet_bytes))
        for _ in range(10):
            host.send_sector()
        await host.finish()

    simulate(script, blocks=4, key_slots=2, traffic=Traffic(key=0.6), **sizes)


@CASES
def test_packets_that_end_early_or_late(sizes: dict) -> None:
    """At each beat: the cipher keys that have been expanded by then go, too."""

    async def script(host: Host) -> None:
        length = host.p.keys.packet_bytes
        await host.load_key(0, host.generator.randbytes(length))
        await host.load_key(1, host.generator.randbytes(length))
        for wrong in sorted({1, 31, *range(16, length, 16), length - 1, length + 1, length + 40}):
            await refused(host, 1, host.generator.randbytes(wrong), 1)
        host.send_sector()
        await host.load_key(1, host.generator.randbytes(length))
        for _ in range(4):
            host.send_sector()
        await host.finish()

    simulate(script, blocks=3, key_slots=2, **sizes)


def unusable(p, generator) -> list[bytes]:
    """Packets that a layout refuses for their contents."""
    size = p.keys.cipher_key_bits // 8
    others = [generator.randbytes(size) for _ in range(p.keys.cipher_keys - 1)]
    packets = []
    if p.keys.distinct_keys:
        packets.append(cipher_keys(p, others[0], *others))
    if p.keys.nonzero_words:
        # The mock's set-up writes the complement of 128 bits of the first key.
        packets.append(cipher_keys(p, b"\xff" * size, *others))
    return packets


@pytest.mark.parametrize("name", [name for name, sizes in LAYOUTS.items() if "distinct_keys" in sizes or "nonzero_words" in sizes])
def test_refused_for_its_contents(name: str) -> None:
    async def script(host: Host) -> None:
        p, generator = host.p, host.generator
        await host.load_key(1, generator.randbytes(p.keys.packet_bytes))
        for packet in unusable(p, generator):
            for loaded in (False, True):
                if loaded:
                    await host.load_key(0, generator.randbytes(p.keys.packet_bytes))
                await refused(host, 0, packet, 0b10)
            # A refused key that is too long, too, is discarded to its end.
            await refused(host, 0, packet + bytes(40), 0b10)
            await host.load_key(0, generator.randbytes(p.keys.packet_bytes))
            host.send_sector(slot=0)
            await host.finish()

    simulate(script, blocks=3, key_slots=2, **LAYOUTS[name])


def test_keys_that_differ_in_a_bit_are_taken() -> None:
    async def script(host: Host) -> None:
        for bit in (0, 63, 127):
            key = host.generator.getrandbits(128)
            await host.load_key(1, b"".join(k.to_bytes(16, "little") for k in (key, key ^ 1 << bit)))
        host.send_sector()
        await host.finish()

    simulate(script, blocks=3, **LAYOUTS["two, distinct"])


def test_other_layouts_take_any_contents() -> None:
    async def script(host: Host) -> None:
        for packet in (bytes(host.p.keys.packet_bytes), b"\xff" * host.p.keys.packet_bytes):
            await host.load_key(0, packet)
            host.send_sector()
            await host.finish()

    simulate(script, blocks=3, key_slots=1, cipher_keys=2, key_words=3)
    simulate(script, blocks=3, key_slots=1, **LAYOUTS["three made by set-up"])


@CASES
def test_time_to_load_does_not_depend_on_the_key(sizes: dict) -> None:
    times: set[int] = set()

    async def script(host: Host) -> None:
        p = host.p
        size = p.keys.cipher_key_bits // 8
        fills = [bytes([fill]) * size for fill in (0x00, 0x01, 0xFE)]
        packets = [host.generator.randbytes(p.keys.packet_bytes) for _ in range(3)]
        packets += [cipher_keys(p, *(fills[(n + k) % 3] for k in range(p.keys.cipher_keys))) for n in range(3)]
        for packet in packets:
            start = host.cycle
            await host.load_key(0, packet)
            times.add(host.cycle - start)

    simulate(script, blocks=3, key_slots=1, **sizes)
    assert len(times) == 1


@pytest.mark.parametrize("erase", [False, True])
@CASES
def test_time_to_overwrite(sizes: dict, erase: bool) -> None:
    async def script(host: Host) -> None:
        p = host.p
        await host.load_key(1, host.generator.randbytes(p.keys.packet_bytes))
        # The packet's other beats never come, and yet the old keys go.
        host.send_key(1, bytes(p.keys.packet_bytes), erase=erase)
        while len(host.key_beats) > 1:
            host.key_beats.pop()
        start = host.cycle
        await host.until(lambda: not host.ctx.get(host.core.engine.slot_nonzero))
        rounds = host.core.bus.key_schedule.rounds
        assert host.cycle - start <= FENCE_CYCLES + 5 + max(p.keys.words, rounds) + (p.keys.all_cipher_keys - 1) * (rounds + 2)
        assert not host.ctx.get(host.core.bus.key_state.loaded)

    simulate(script, blocks=3, key_slots=2, **sizes)


def test_reset_anywhere_in_a_key_packet() -> None:
    async def script(host: Host) -> None:
        await host.reset_in_key_packets(range(10, 150, 11))

    simulate(script, blocks=3, key_slots=2, **LAYOUTS["of all kinds"])
