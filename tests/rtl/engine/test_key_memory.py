# SPDX-License-Identifier: Apache-2.0
"""The key memory of an engine: each slot has words of its own, from the host and from set-up."""

from __future__ import annotations

import pytest
from tests.rtl.engine.bench import Host, compiled, simulate
from tests.rtl.engine.definitions import Words


def words_of(host: Host, slot: int) -> list[int]:
    """The words of a slot in the order of the key memory, by the definition."""
    _, keys = host.models[slot].set_up(0)
    return [getattr(keys, name) for name in "ABCD"]


@pytest.mark.parametrize("slots", [1, 2, 3, 5])
@pytest.mark.parametrize("lanes", [1, 2])
def test_words_of_every_slot(slots: int, lanes: int) -> None:
    """Those of the host are read as they were written, and what set-up writes is told as well."""

    async def script(host: Host) -> None:
        assert host.p.keys.words == 4
        for slot in reversed(range(slots)):
            await host.load_key(slot, host.rng.randbytes(host.p.keys.packet_bytes))
            assert host.words == {word: words_of(host, slot)[word] for word in (2, 3)}
        for _ in range(2):
            for slot in range(slots):
                host.send(2, slots=[slot])
            await host.finish()
            slot = host.rng.randrange(slots)
            await host.load_key(slot, host.rng.randbytes(host.p.keys.packet_bytes))

    simulate(compiled(Words, sector=64, cipher_cores=lanes, key_slots=slots), script)


def test_a_word_written_alone() -> None:
    """The host overwrites one word while sectors of another slot are inside; they do not notice, and the other words stay."""

    async def script(host: Host) -> None:
        await host.load_keys()
        for word, name in enumerate(("A", "B")):
            host.send(4, slots=[1])
            await host.steps(5)
            assert host.inside
            new = host.rng.getrandbits(128)
            await host.write_word(0, word, new)
            mode = host.design.mode
            parts = mode.split_key(host.keys[0], (16,)) | {name: new.to_bytes(16, "little")}
            await host.finish()
            # What set-up made of the word that was is made anew.
            await host.set_up(0)
            host.keys[0] = b"".join(parts[part] for part in mode.key_parts)
            host.models[0] = host.model(host.keys[0])
            host.send(4)
            await host.finish()

    simulate(compiled(Words, sector=64, key_slots=2), script)
