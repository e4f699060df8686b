# SPDX-License-Identifier: Apache-2.0
"""Keys through the whole bus side: formats, wrong lengths, erasing, reloading under traffic, real key schedules."""

from __future__ import annotations

import pytest
from tests.rtl.bus.bench import Host, Traffic, simulate

from modeloom.cycles import FENCE_CYCLES
from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.aes.key_schedule import KeySchedule

KEY_FORMATS = [
    {"cipher_key_bits": bits, "raw_words_before": before, "raw_words_after": after, "block_bits": block}
    for bits, before, after, block in [
        (128, 0, 0, 128),
        (192, 0, 0, 128),
        (192, 0, 2, 128),
        (256, 0, 1, 128),
        (128, 2, 0, 128),
        (192, 1, 1, 128),
        (256, 2, 2, 128),
        (256, 0, 0, 256),
        (192, 1, 2, 256),
    ]
]


@pytest.mark.parametrize("sizes", KEY_FORMATS)
def test_key_formats_and_wrong_lengths(sizes: dict) -> None:
    async def script(host: Host) -> None:
        bus, length = host.core.bus, host.p.keys.packet_bytes
        await host.load_key(0, host.generator.randbytes(length))
        for wrong in (1, length - 8, length - 1, length + 1, length + 8, length + 16, length + 48):
            await host.load_key(1, host.generator.randbytes(length))
            host.send_key(1, host.generator.randbytes(wrong))
            await host.step()
            await host.until(host.key_idle)
            assert host.ctx.get(bus.key_state.error) and host.ctx.get(bus.key_state.loaded) == 1
            assert host.ctx.get(host.core.engine.slot_nonzero) == 1
            host.keys.pop(1)
            host.send_sector("no key", slot=1)
        host.send_sector()
        await host.load_key(2, host.generator.randbytes(length))
        for _ in range(4):
            host.send_sector()
        await host.finish()

    simulate(script, blocks=4, **sizes)


def test_key_with_a_hole_in_tkeep() -> None:
    async def script(host: Host) -> None:
        host.send_key(1, bytes(host.p.keys.packet_bytes), keep=0xFFFD)
        await host.step()
        await host.until(host.key_idle)
        assert host.ctx.get(host.core.bus.key_state.error) and not host.ctx.get(host.core.bus.key_state.loaded)

    simulate(script)


def test_erase_and_slot_out_of_range() -> None:
    async def script(host: Host) -> None:
        bus, engine, get = host.core.bus, host.core.engine, host.ctx.get
        for slot in range(3):
            await host.load_key(slot, host.generator.randbytes(host.p.keys.packet_bytes))
        assert get(engine.slot_nonzero) == 0b111
        for beats in (1, 3):
            slot = beats - 1
            host.send_key(slot, bytes(16 * beats), erase=True)
            await host.step()
            await host.until(host.key_idle)
            host.keys.pop(slot)
            assert not get(bus.key_state.error)
            assert get(engine.slot_nonzero) == get(bus.key_state.loaded) == sum(1 << s for s in host.keys)
            host.send_sector("no key", slot=slot)
        for slot in (3, 131, 255):
            host.send_key(slot, bytes(32), erase=slot == 3)
            await host.step()
            await host.until(host.key_idle)
            assert get(bus.key_state.error) and get(bus.key_state.loaded) == 2
        host.send_sector()
        await host.finish()
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))

    simulate(script)


@pytest.mark.parametrize("erase", [False, True])
def test_time_to_overwrite(erase: bool) -> None:
    async def script(host: Host) -> None:
        await host.load_key(1, host.generator.randbytes(host.p.keys.packet_bytes))
        # The packet's other beats never come, and yet the old key goes.
        host.send_key(1, bytes(host.p.keys.packet_bytes), erase=erase)
        while len(host.key_beats) > 1:
            host.key_beats.pop()
        start = host.cycle
        await host.until(lambda: not host.ctx.get(host.core.engine.slot_nonzero))
        longest = max(host.p.keys.words, host.core.bus.key_schedule.rounds)
        assert host.cycle - start <= FENCE_CYCLES + 5 + longest
        assert not host.ctx.get(host.core.bus.key_state.loaded)

    simulate(script)


@pytest.mark.parametrize("seed", range(4))
def test_key_reload_under_traffic(seed: int) -> None:
    """Sectors of the slot being loaded use the old key, or are refused, or use the new key, in this order."""

    async def script(host: Host) -> None:
        p, generator = host.p, host.generator
        old, new = generator.randbytes(p.keys.packet_bytes), generator.randbytes(p.keys.packet_bytes)
        await host.load_key(0, generator.randbytes(p.keys.packet_bytes))
        await host.load_key(1, old)
        wanted = []
        for number in range(40):
            slot, data, tweak = number % 2, generator.randbytes(p.sector_bytes), generator.randbytes(32)
            host.send_command(tweak=tweak, slot=slot)
            host.send_data(data)
            keys = (host.keys[0],) if slot == 0 else (old, new)
            wanted.append([host.expect(key, tweak, False, data) for key in keys])
        await host.until(lambda: len(host.packets) >= 8)
        host.send_key(1, new)
        await host.until(lambda: len(host.statuses) == 40)
        packets = iter(host.packets)
        seen = []
        for (_, code), results in zip(host.statuses, wanted, strict=True):
            if len(results) == 1:
                assert code == StatusCode.OK and next(packets) == results[0]
            elif code == StatusCode.OK:
                seen.append(2 * results.index(next(packets)))
            else:
                assert code == StatusCode.NO_KEY
                seen.append(1)
        assert next(packets, None) is None
        assert seen == sorted(seen) and set(seen) == {0, 1, 2}

    simulate(script, seed=seed, traffic=Traffic(cmd=0.9, s=(1.0, 0.8, 0.5, 0.9)[seed], m=(1.0, 0.9)[seed % 2]))


def test_reset_in_a_key_packet() -> None:
    async def script(host: Host) -> None:
        await host.reset_in_key_packets(range(4, 60, 5))

    simulate(script)


class AESSchedule(KeySchedule):
    """The real key schedule; the mock engine reads only the first and the last round key of FIPS 197, appendix A."""

    LAST = {
        128: ("2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
        192: ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "e98ba06f448c773c8ecc720401002202"),
        256: ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "fe4890d1e6188d0b046df344706c631e"),
    }

    def round_keys(self, key: int) -> list[tuple[int, int]]:
        text, last = self.LAST[self.key_bits]
        edges = [int.from_bytes(bytes.fromhex(word), "little") for word in (text[:32], last)]
        return [(edges[0],) * 2, *[(0, 0)] * (self.rounds - 1), (edges[1],) * 2]


@pytest.mark.parametrize("bits", AESSchedule.LAST)
def test_aes_key_schedule(bits: int) -> None:
    async def script(host: Host) -> None:
        key = bytes.fromhex(AESSchedule.LAST[bits][0])
        await host.load_key(2, key + host.generator.randbytes(16))
        for _ in range(3):
            host.send_sector()
        await host.finish()
        host.send_key(2, b"", erase=True)
        await host.step()
        await host.until(host.key_idle)
        assert not host.ctx.get(host.core.engine.slot_nonzero)

    simulate(script, blocks=3, cipher_key_bits=bits, schedule=AESSchedule(bits))


def test_fence_catches_the_last_sector() -> None:
    """An only sector meets the erasure of its slot at every distance: it is refused, or ends before a key word goes."""

    async def script(host: Host) -> None:
        seen = []
        for distance in range(20):
            host.traffic.key = 1.0
            await host.load_key(1, host.generator.randbytes(host.p.keys.packet_bytes))
            host.send_sector()
            await host.steps(distance)
            host.send_key(1, b"", erase=True)
            await host.until(lambda: bool(host.statuses) and host.key_idle())
            seen.append(host.statuses[0][1])
            if seen[-1] == StatusCode.OK:
                await host.finish()
            else:
                assert not host.packets and not host.packet
                host.statuses.clear()
                host.sent.clear()
        assert seen == sorted(seen, reverse=True) and set(seen) == {StatusCode.NO_KEY, StatusCode.OK}

    simulate(script, blocks=4, latency=30)


@pytest.mark.parametrize("empty", [True, False])
def test_preparation_beside_traffic(empty: bool) -> None:
    """Whether keys are prepared in an engine that drains is that engine's business: one that need not loses no cycle."""

    async def script(host: Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        for _ in range(60):
            host.send_sector(slot=0)
        host.enters.clear()
        for slot in (1, 2, 1):
            await host.load_key(slot, host.generator.randbytes(host.p.keys.packet_bytes))
        await host.until(lambda: len(host.enters) == 60)
        gaps = {after - before for before, after in zip(host.enters, host.enters[1:])}
        assert (gaps == {7}) is not empty, "sectors enter every seven cycles unless the engine drains"
        await host.finish()
        for slot in (1, 2):
            host.send_sector(slot=slot)
        await host.finish()

    simulate(script, empty=empty, latency=20)
