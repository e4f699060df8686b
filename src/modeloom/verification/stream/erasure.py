# SPDX-License-Identifier: Apache-2.0
"""Checks the erasure of a key, ``zeroize`` and the reset: nothing is left after the stated cycles, and the core works again."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from modeloom.emit.simulators import CheckFailed
from modeloom.product.message import Message
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.sim import AT_REST
from modeloom.verification.host import DataBits, changed, check_hold, data_bits, differences, hold_cycles, request, scatter
from modeloom.verification.stream.host import StreamSubject, host_of

__all__ = ["check_erasure", "check_zeroize", "fill", "only_tags_differ", "waits_in"]

RESULTS = (
    "texts", "verdicts", *(f"packets.{part}" for part in ("finals", "parts", "joiner", "hold", "out")), "buffer.records", "buffer.results",
)  # fmt: skip
"""Queues where text and tags wait for the host, also those of first passes.  They stay when a key is erased (docs/security.md)."""

SECOND_PASS = (
    *(f"bus.core.{part}" for part in ("messages.memory.", "command.taken.", "command.checked.", "entry.verdict", "deriver.taken.")),
    *(f"bus.core.messages.{part}" for part in ("messages.memory.", "command.taken.", "command.checked.", "entry.verdict")),
    "bus.core.messages_o_payload",
)  # fmt: skip
"""In a core that stores messages, places of the commands of second passes, which have the tag of the first one up to their verdict.

The host got this tag.  It is all that may be left of a key there.
"""

ABORTS = 8


def check_erasure(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Compares two cores that differ only in the key of a slot, which has been set up and used.

    Both must have the same state ``key_erase_cycles`` after the erasure of the key begins, and after another key has replaced it.
    The state has the round keys, the powers of hash keys, the chains and all other registers but those of `RESULTS`.  The places of
    `SECOND_PASS` may differ in a tag that the host got.
    """
    slots, cycles = subject.description.named_slots, subject.description.key_erase_cycles
    compared = 0
    for slot in sorted({0, slots - 1}):
        for how in ("erased", "loaded anew"):
            used = [_used(subject, slot, seed) for seed in (1, 2)]
            cores = [core for core, _ in used]
            tags = [*zip(*(given for _, given in used), strict=True)]
            compared = len(differences(cores))
            if compared < 10:
                raise CheckFailed(f"{subject.directory}: two cores with different keys in slot {slot} differ in {compared} words only")
            for core in cores:
                if how == "erased":
                    core.send_key(bytes(16), slot, erase=True)
                    core.runner.run(max_cycles=cycles)
                else:
                    core.load_message_key(subject.good_key(random.Random(f"{subject.seed} next key")), slot)
                    if core.has_next_key:
                        # The key before it has left the ring when the message that brings it is done.
                        _bring(subject, core)
                    core.runner.run(max_cycles=cycles)
            left = [
                name for name, values in changed(cores).items() if not waits_in(name, RESULTS)
                and not (any(part in name for part in SECOND_PASS) and only_tags_differ(values, tags))
            ]  # fmt: skip
            if left:
                raise CheckFailed(
                    f"{subject.directory}: slot {slot} is {how}, and {left[0]} still depends on its old key ({len(left)} words do)"
                )
    text = f"nothing of a key is left in its slot {cycles} cycles after its erasure begins, or after another key is loaded"
    return text, {"key_erase_cycles": cycles, "words_that_differed": compared}


def waits_in(name: str, queues: Iterable[str]) -> bool:
    """Whether a register or memory is one of some queues.  The register of its output may have the name of the port that it drives."""
    return any(f".{queue}." in name or name.endswith(f".{queue}_o_payload") for queue in queues)


def only_tags_differ(values: tuple[int, int], tags: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether two words differ in one place only, which has a tag of each pair of *tags* in them."""
    for pair in tags:
        first, second = (int.from_bytes(tag, "little") for tag in pair)
        whole = (1 << 8 * len(pair[0])) - 1
        for place in range(max(values).bit_length()):
            fits = values[0] >> place & whole == first and values[1] >> place & whole == second
            if fits and (values[0] ^ values[1]) == (first ^ second) << place:
                return True
    return False


def _bring(subject: StreamSubject, core: SimulatedStreamCore) -> None:
    """A message that brings the next key; the one before it has left the ring when this one is done."""
    d, decrypt = subject.description, subject.ways[0]
    core.outcomes([Message(bytes(d.nonces[0]), bytes(d.tag_bytes[0] if decrypt else 1), decrypt=decrypt)])


def _used(subject: StreamSubject, slot: int, seed: int) -> tuple[SimulatedStreamCore, list[bytes]]:
    """A core whose slot has a key from this seed, and the tags that it gave.  Everything else is always the same.

    It has run messages in every direction.
    """
    core, d = subject.core(), subject.description
    own, common = random.Random(f"{subject.seed} key {seed}"), random.Random(f"{subject.seed} common")
    used = sorted({0, 1 % d.named_slots, d.named_slots - 1})
    keys = {number: subject.good_key(common) for number in used}
    keys[slot] = subject.good_key(own)
    for number, key in keys.items():
        core.load_message_key(key, number)
    size, tags = d.beat_bytes, []
    for decrypt in subject.ways:
        for ad, text in ((0, 0), (3 * size, 5 * size + 1), (1, 9 * size)):
            data = common.randbytes(text + (d.tag_bytes[0] if decrypt else 0))
            made = core.outcomes([Message(common.randbytes(d.nonces[0]), data, common.randbytes(ad), decrypt, slot)])
            tags += [outcome.tag for outcome in made if outcome.tag]
    return core, tags


def check_zeroize(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Compares two cores in the middle of different work.

    They must have the same state after ``zeroize`` and after a reset, and work again.  Each of the two takes exactly
    ``erase_cycles``, in which all buses are idle.  Before the erasure, each word that may hold data gets some, since a short run leaves
    many words empty.
    """
    stated, d = subject.description.erase_cycles, subject.description
    check_hold(subject.core(), subject.directory, "power-up")
    differed, bits = 0, dict[str, DataBits]()
    for number, how in enumerate(("zeroize", "reset", "zeroize")):
        cores = []
        for seed in (1, 2):
            core = subject.core()
            hold_cycles(core, 4 * stated + 100)
            fill(subject, core, random.Random(f"{subject.seed} zeroize {seed}"), 7 + 31 * number)
            cores.append(core)
        differed = len(differences(cores))
        if differed < 20:
            raise CheckFailed(f"{subject.directory}: two cores with different keys and data differ in {differed} words only")
        bits = data_bits(cores, bits)
        for seed, core in enumerate(cores):
            scatter(core, bits, random.Random(f"{subject.seed} scatter {number} {seed}"))
            # The host drives these buses, and registers that hold nothing follow them.
            core.simulation.set("s_axis_cmd_tdata", 0)
            request(core, how)
            check_hold(core, subject.directory, how)
        if left := differences(cores):
            raise CheckFailed(f"{subject.directory}: {left[0]} still depends on keys or data after {how} ({len(left)} words do)")
    rng = subject.rng("zeroize")
    host = host_of(subject, rng)
    slots = host.used
    for number in range(ABORTS):
        for slot in slots[:3]:
            host.load(subject.good_key(rng), slot)
        host.settle()
        for _ in range(rng.randrange(1, 12)):
            host.job(slot=rng.choice(slots[:3]), decrypt=rng.choice(subject.ways), ad=rng.randrange(40), text=rng.randrange(200))
        if number % 3 == 2:
            host.load(subject.good_key(rng), slots[0])
        host.run(rng.randrange(1, d.message_cycles(40, 200)))
        host.abort("zeroize" if number % 2 else "aresetn")
        # A message that was cut off leaves nothing that would affect the next one.
        host.load(subject.good_key(rng), slots[-1])
        host.settle()
        for decrypt in subject.ways:
            host.job(slot=slots[-1], decrypt=decrypt, ad=20, text=40)
        host.settle()
        host.abort("zeroize")
    text = f"zeroize and a reset take {stated} cycles and leave nothing; the core works again after {ABORTS} messages were cut off"
    return text, {"erase_cycles": stated, "words_that_differed": differed, "messages": host.messages}


def fill(subject: StreamSubject, core: SimulatedStreamCore, rng: random.Random, cycles: int) -> None:
    """Brings a core into the middle of its work, with keys, text that waits, and a key that is being loaded.

    Lengths are the same for all random generators.
    """
    d = subject.description
    for slot in sorted({0, d.named_slots - 1}):
        core.load_message_key(rng.randbytes(d.key_lengths[0]), slot)
    core.runner.set_gaps({"m_axis": AT_REST})
    for number in range(12):
        decrypt = subject.ways[number % len(subject.ways)]
        core.send(Message(rng.randbytes(d.nonces[0]), rng.randbytes(60 + 3 * number), rng.randbytes(number), decrypt, 0))
    core.runner.run(max_cycles=d.message_cycles(0, 64))
    core.send_key(core.key_packet(rng.randbytes(d.key_lengths[0])), d.named_slots - 1)
    core.runner.run(max_cycles=cycles)
