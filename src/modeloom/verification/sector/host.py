# SPDX-License-Identifier: Apache-2.0
"""The host of a core in simulation.  It sends keys, commands and packets at any time, and knows which results are allowed.

A key packet and a command use different buses.  If a command waits while a new key comes for its slot, the core may decide the command
before or after the new key.  Each slot has a history, and the results may only move forward in it::

    slot 1     key A ──▶ empty ──▶ key B ──▶ empty         loaded, loaded again, erased
    results      A   A   NO_KEY      B   B   NO_KEY        never A again after a NO_KEY or a B
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import modeloom_golden as golden
from modeloom.ciphers import CIPHERS
from modeloom.definition.software import Model
from modeloom.interfaces.sector import STATUSES, StatusCode, pack_command
from modeloom.interfaces.table import LISTED_SLOTS, RESERVED
from modeloom.modes import find
from modeloom.product.beats import SectorDescription
from modeloom.product.folder import read_sectors
from modeloom.product.simulated import SimulatedCore
from modeloom.protocol.transactions import MessagePacket, whole_packet
from modeloom.spec import InputError, Mode
from modeloom.verification.host import CoreHost, CoreSubject

__all__ = ["FAULTS", "Host", "Job", "Subject", "code_of", "faulty", "sample_slots"]


# -- subject ---------------------------------------------------------------------------------------------------------------------------

# The core under verification: new simulations of its Verilog, and the reference of its mode.

Reference = Callable[[bytes, bytes, bool], bytes]
"""``reference(tweak, data, decrypt)``."""


def sample_slots(slots: int) -> list[int]:
    """The key slots of a core, or some of many: the first and the last ones, and those beside the last one that a port lists."""
    return [*range(slots)] if slots <= LISTED_SLOTS else sorted({0, 1, LISTED_SLOTS - 1, LISTED_SLOTS, slots - 1})


class Subject(CoreSubject[SectorDescription, SimulatedCore, Reference]):
    """A built core under test.  Its parameters are those of ``CoreSubject``."""

    def read(self) -> SectorDescription:
        """Reads ``core.json``."""
        return read_sectors(self.directory)

    @cached_property
    def mode(self) -> Mode:
        """The definition."""
        return find(self.description.definition, self.directory)

    @property
    def ways(self) -> list[bool]:
        """The directions of the core.  True is decryption."""
        return [direction == "decrypt" for direction in self.description.directions]

    def make_core(self, seed: int) -> SimulatedCore:
        """A new core after a reset."""
        return SimulatedCore(
            self.directory, seed=seed, library=self.library, converters=self.converters, front=self.front, clocks=self.clocks
        )  # fmt: skip

    @property
    def independent(self) -> bool:
        """Whether the reference comes from ``modeloom_golden``, which shares no code with the compiler.

        Otherwise it is the definition on numbers.
        """
        cipher = self.description.cipher
        return cipher in CIPHERS and self.description.definition in golden.mode_names(cipher)

    @property
    def sizes(self) -> list[int]:
        """The sector sizes in bytes, in the order of their indices."""
        return [size.sector_bytes for size in self.description.sizes]

    def make_reference(self, key: bytes) -> Reference | None:
        """The reference for a key; None if the mode refuses the key."""
        try:
            mode: object
            if self.independent:
                mode = golden.mode(self.description.definition, key, self.description.cipher)
            else:
                mode = Model(self.mode, key, self.description.cipher)
            if self.description.refused_keys:
                # The sector size may decide whether a key is accepted.  A core accepts keys that are good for all of its sizes.
                for size in self.sizes:
                    mode.encrypt(bytes(self.description.tweak_bytes), bytes(size))
        except (InputError, ValueError, ZeroDivisionError):
            if not self.description.refused_keys:
                raise
            return None

        def run(tweak: bytes, data: bytes, decrypt: bool) -> bytes:
            result: bytes = (mode.decrypt if decrypt else mode.encrypt)(tweak, data)
            return result

        return run


# -- host ------------------------------------------------------------------------------------------------------------------------------

# A packet of a sector on the data bus, correct or with a fault, and its required status (``docs/interfaces.md``).
#
#     beat        0          1          2         a sector of 40 bytes on one lane
#     tkeep     0xFFFF     0xFFFF     0x00FF
#     faults    not all ones ─▶ BAD_KEEP   gap, or no byte ─▶ BAD_KEEP   fewer, more bytes ─▶ TOO_SHORT, TOO_LONG

def code_of(packet: MessagePacket, beat_bytes: int, sector_bytes: int) -> StatusCode:
    """The status for a packet, if the sector has this size."""
    *inner, last = packet.keeps
    if any(keep != (1 << beat_bytes) - 1 for keep in inner) or not last or last & (last + 1):
        return StatusCode.BAD_KEEP
    length = len(inner) * beat_bytes + last.bit_length()
    if length == sector_bytes:
        return StatusCode.OK
    return StatusCode.TOO_SHORT if length < sector_bytes else StatusCode.TOO_LONG


FAULTS = (
    "byte short", "beat short", "one byte", "byte long", "beat long", "far too long", "gap", "hole", "tail", "empty", "no byte",
    "hole and far too long",
)  # fmt: skip
"""The possible faults of a packet."""


def faulty(data: bytes, beat_bytes: int, fault: str, rng: random.Random) -> MessagePacket:
    """The packet of a sector with a fault.  If the fault is impossible on this bus, the nearest possible one is used."""
    more = rng.randbytes(4 * len(data) + 2 * beat_bytes)
    lengths = {
        "byte short": len(data) - 1, "beat short": len(data) - beat_bytes, "one byte": 1,
        "byte long": len(data) + 1, "beat long": len(data) + beat_bytes, "far too long": 3 * len(data) + 1,
    }  # fmt: skip
    if fault in lengths:
        return whole_packet([(data + more)[: max(1, lengths[fault])]], beat_bytes)
    packet = whole_packet([(data + more)[: lengths["far too long"]] if fault == "hole and far too long" else data], beat_bytes)
    keeps = list(packet.keeps)
    last = len(keeps) - 1
    beat = rng.randrange(last) if last else 0
    if fault == "gap":  # in the last beat
        keeps[last] = keeps[last] & ~(1 << rng.randrange(max(1, keeps[last].bit_length() - 1)))
    elif fault in ("hole", "hole and far too long"):  # before it
        keeps[beat] ^= 1 << rng.randrange(beat_bytes)
    elif fault == "tail":
        keeps[beat] >>= rng.randrange(1, beat_bytes)
    elif fault == "empty":
        keeps[beat] = 0
    elif fault == "no byte":
        keeps[last] = 0
    else:
        raise ValueError(f"no fault {fault!r}")
    return MessagePacket(packet.data, tuple(keeps))


@dataclass(frozen=True)
class Job:
    """A command that was sent, with its packet."""

    tag: int
    slot: int
    size: int
    decrypt: bool
    tweak: bytes
    data: bytes
    packet: MessagePacket


class Host(CoreHost[SimulatedCore]):
    """Drives one core and checks all its outputs.

    Parameters
    ----------
    subject : Subject
        The source of the core.
    rng : random.Random
        Random numbers for tags and everything that the caller does not choose.
    core : SimulatedCore, optional
        The core.  The default is a new one.

    Attributes
    ----------
    sectors : int
        Number of sectors whose results were compared.
    codes : set of StatusCode
        Statuses that came.
    """

    def __init__(self, subject: Subject, rng: random.Random, core: SimulatedCore | None = None):
        self.sectors = 0
        self.codes: set[StatusCode] = set()
        super().__init__(subject, rng, core)
        self.beat_bytes = self.core.host_bytes

    def _forget(self) -> None:
        super()._forget()
        self._jobs: deque[Job] = deque()
        self._beats: deque[tuple[bytes, int, int, int]] = deque()

    # Sending

    def job(
        self, *, slot: int, decrypt: bool, size: int = 0, tweak: bytes | None = None, data: bytes | None = None,
        fault: str | None = None, nbytes: int | None = None,
    ) -> None:  # fmt: skip
        """Sends a command and its packet.

        Parameters
        ----------
        size : int
            Index of a sector size.  If the core does not have this size, ``nbytes`` is the number of bytes to send.
        tweak, data : bytes
            Random if not given.
        fault : str
            One of ``packet.FAULTS``.
        """
        length = nbytes or self.subject.sizes[size]
        tweak = self.rng.randbytes(self.core.tweak_bytes) if tweak is None else tweak
        data = self.rng.randbytes(length) if data is None else data
        packet = faulty(data, self.beat_bytes, fault, self.rng) if fault else whole_packet([data], self.beat_bytes)
        tag = self.rng.randrange(1 << 16)
        self._jobs.append(Job(tag, slot, size, decrypt, tweak, data, packet))
        command = pack_command(tweak=tweak, tag=tag, slot=slot, size=size, decrypt=decrypt)
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": command})
        beats = len(packet.keeps)
        lasts = [*[0] * (beats - 1), 1]
        self.runner.feed("s_axis", {"s_axis_tdata": packet.data, "s_axis_tkeep": packet.keeps, "s_axis_tlast": lasts})
        self._patience += self.sector_cycles + beats

    def load_slots(self, *slots: int) -> None:
        """Loads a new key into each of these slots, or into all if none is given, and waits for it."""
        for slot in slots or range(self.slots):
            self.load(self.subject.good_key(self.rng), slot)
        self.settle()

    @property
    def key_cycles(self) -> int:
        """A generous limit for the cycles of a key packet."""
        sizes = self.description.sizes
        setup = sum(size.explain.setup_cycles for size in sizes)
        return 4 * (self.description.key_erase_cycles + setup * 4) + 3 * self.sector_cycles + 1000

    @property
    def sector_cycles(self) -> int:
        """A limit for the cycles of a sector that is alone and comes after a change of size."""
        return 2 * max(size.latency_pins + size.interval for size in self.description.sizes) + 100

    # Receiving

    def _left(self) -> int:
        return len(self._jobs)

    def _more(self) -> bool:
        return bool(self._beats)

    def compare(self, rules: bool = True) -> None:
        """Checks all received statuses and data and, on request, the rules of the buses."""
        beats = self.runner.take("m_axis")
        self._output_cycles.extend(beats.cycles)
        data, width = beats.columns["m_axis_tdata"], self.beat_bytes
        self._beats.extend(
            (data[at * width : at * width + width], keep, last, cycle)
            for at, (keep, last, cycle) in enumerate(
                zip(beats.values("m_axis_tkeep"), beats.values("m_axis_tlast"), beats.cycles, strict=True)
            )
        )
        statuses = self.runner.take("m_axis_status")
        for value, cycle in zip(statuses.values("m_axis_status_tdata"), statuses.cycles, strict=True):
            if not self._jobs:
                self.fail("gives a status without a command")
            fields = STATUSES.packing.unpack(value.to_bytes(STATUSES.packing.bits // 8, "little"))
            if fields[RESERVED] or fields["code"] > max(StatusCode):
                self.fail(f"gives the status {value:#010x}, which means nothing")
            self._compare_one(self._jobs.popleft(), fields["tag"], StatusCode(fields["code"]), cycle)
        if rules:
            self.check_rules()

    def _compare_one(self, job: Job, tag: int, code: StatusCode, cycle: int) -> None:
        self.sectors += 1
        self.codes.add(code)
        if tag != job.tag:
            self.fail(f"gives the tag {tag:#06x} where {job.tag:#06x} was next")
        result = None if code != StatusCode.OK else self._packet(job, cycle)
        allowed = self._allowed(job)
        for phase, (wanted, key) in allowed:
            if wanted != code:
                continue
            if code == StatusCode.OK and result != self._expected(job, key):
                continue
            if job.slot < self.slots:
                self._at[job.slot] = phase
            return
        codes = sorted({wanted for _, (wanted, _) in allowed})
        if code not in codes:
            self.fail(f"gives {code.name} where {' or '.join(StatusCode(c).name for c in codes)} is right: {self._words(job)}")
        self.fail(f"computes a wrong result: {self._words(job)}")

    def _allowed(self, job: Job) -> list[tuple[int, tuple[StatusCode, bytes | None]]]:
        """The phases of the slot in which the job may have been decided, with the status and the key in each."""
        at = self._at[job.slot] if job.slot < self.slots else 0
        if job.size >= len(self.subject.sizes):
            return [(at, (StatusCode.UNKNOWN_SIZE, None))]
        if job.decrypt not in self.subject.ways:
            return [(at, (StatusCode.NO_DIRECTION, None))]
        if job.slot >= self.slots:
            return [(0, (StatusCode.NO_KEY, None))]
        code = code_of(job.packet, self.beat_bytes, self.subject.sizes[job.size])
        history = self._history[job.slot]
        return [(phase, (StatusCode.NO_KEY if key is None else code, key)) for phase, key in enumerate(history) if phase >= at]

    def _expected(self, job: Job, key: bytes | None) -> bytes | None:
        reference = self.subject.reference(key) if key is not None else None
        return reference(job.tweak, job.data, job.decrypt) if reference else None

    def _packet(self, job: Job, status_cycle: int) -> bytes:
        """The data of a sector, after a check of their form.  They come before the status."""
        if job.size >= len(self.subject.sizes):
            self.fail(f"gives a good status for a sector size that it does not have: {self._words(job)}")
        nbytes = self.subject.sizes[job.size]
        form = whole_packet([bytes(nbytes)], self.beat_bytes)
        if len(self._beats) < len(form.keeps):
            self.fail(f"gives the status of a sector before its data: {self._words(job)}")
        data = b""
        for number, keep in enumerate(form.keeps):
            beat, found, last, cycle = self._beats.popleft()
            if found != keep or last != (number == len(form.keeps) - 1) or cycle >= status_cycle:
                self.fail(f"gives beat {number} of a sector with tkeep {found:#x} and tlast {last}: {self._words(job)}")
            data += beat
        if any(data[nbytes:]):
            self.fail(f"gives bytes behind the end of a sector: {self._words(job)}")
        return data[:nbytes]

    def _words(self, job: Job) -> str:
        way = "decryption" if job.decrypt else "encryption"
        return f"{way} of sector {self.sectors} (tag {job.tag:#06x}, size {job.size}, slot {job.slot}, tweak {job.tweak.hex() or 'none'})"
