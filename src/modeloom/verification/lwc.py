# SPDX-License-Identifier: Apache-2.0
"""The checks of ``modeloom verify`` for a core behind the LWC interface.

::

    files     hashes of core.json, and those of the current definition          nothing was changed
    proof     the pipeline is compiled and proved again                         it computes the definition
    pipeline  the Verilog executed on symbols                               it computes what the pipeline computes, word by word
    lint      Verilator
    timing    the netlist of the Verilog                                        no control signal depends on a secret
    vectors ─┐
    lengths  │
    words    ├─ the Verilog in simulation, as it lies there                     it does what the definition and the protocol say
    keys     │
    messages │
    zeroize ─┘
    bench     the plain bench in Icarus Verilog, or else in Verilator
    skipped   what was not done, and why
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, cycle
from pathlib import Path
from random import Random
from typing import Any

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc import LwcCore, same_lwc
from modeloom.cores.lwc.bench import lwc_vectors
from modeloom.emit import CheckFailed
from modeloom.equivalence.lwc import prove_words
from modeloom.interfaces.lwc import Opcode
from modeloom.interfaces.messages import MessageCode
from modeloom.product.folder import read_as
from modeloom.product.message import LwcDescription, Message
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.protocol.outcome import judge_whole
from modeloom.protocol.segments import LONGEST, Answer, Piece
from modeloom.sim import AT_REST
from modeloom.spec.errors import many
from modeloom.verification.steps import (
    Step,
    check_files,
    datasheet_steps,
    files_step,
    lint_step,
    run_check,
    timing_step,
    today,
    with_skipped,
)
from modeloom.verification.stream import bench_of, proof_step
from modeloom.verification.stream.bounds import check_vectors
from modeloom.verification.stream.host import MessageReference, StreamSubject

__all__ = ["LwcSubject", "PATTERNS", "check_keys", "check_lengths", "check_messages", "check_words", "check_zeroize", "verify_lwc"]


# -- messages ----------------------------------------------------------------------------------------------------------------------------

# Tests messages of all lengths through the LWC interface, then random ones with segments, pauses, new keys and wrong tags.

# The core behind the LWC interface under verification, and what it must give for a message.

class LwcSubject(StreamSubject):
    """A built core behind the LWC interface under test; parameters as for ``StreamSubject``."""

    description: LwcDescription

    def read(self) -> LwcDescription:
        """Reads ``core.json``."""
        return read_as(LwcDescription, self.directory, "a core behind the LWC interface")

    @property
    def ways(self) -> list[bool]:
        """The directions of the core.  True is decryption."""
        return [bool(way) for way in super().ways]

    def make_core(self, seed: int) -> SimulatedLwcCore:  # type: ignore[override]
        """A new core after a reset."""
        return SimulatedLwcCore(self.directory, seed=seed, library=self.library)

    def words_core(self, *, seed: int = 0) -> SimulatedLwcCore:
        """A new core after a reset, whose words a check sends itself."""
        core = self.core(seed=seed)
        assert isinstance(core, SimulatedLwcCore)
        return core

    def known(self, key: bytes) -> MessageReference:
        """The reference for a key that the mode takes."""
        reference = self.reference(key)
        assert reference is not None
        return reference

    def message(self, key: bytes, nonce: bytes, ad: bytes, data: bytes, decrypt: bool) -> tuple[Message, bytes]:
        """A message whose plaintext is ``data``, and what the core gives for it: text with the tag of a sealed message."""
        tag_bytes = self.description.tag_bytes[0]
        text, tag = self.known(key).run(False, nonce, data, ad, tag_bytes)
        sealed = text + tag[:tag_bytes]
        return Message(nonce, sealed if decrypt else data, ad, decrypt), data if decrypt else sealed


# -- messages ----------------------------------------------------------------------------------------------------------------------

PATTERNS: tuple[dict[str, float], ...] = (
    {}, {"pdi": 0.1, "sdi": 0.1, "do": 0.1}, {"do": 0.7}, {"pdi": 0.7}, {"sdi": 0.9}, {"pdi": 0.5, "sdi": 0.5, "do": 0.5}, {"do": 0.95},
)
"""Probabilities of pauses: none, a few everywhere, one slow port at a time, and slow words everywhere."""

CHUNK = 48
"""Number of messages with the same pattern of pauses."""

MESSAGES = 600
"""Default number of random messages."""

MOST_BLOCKS, SIZES, NEAR = 256, 24, 8
"""Blocks of the longest message that waits, the number of lengths of such messages, and of those near the longest one."""

KEYS, KEY_CYCLES = 2, 500
"""Keys behind a message that waits, and cycles in which one is taken."""


class _Run:
    """Messages that have been queued, with what they must give.

    Parameters
    ----------
    subject : LwcSubject
    core : SimulatedLwcCore
    """

    def __init__(self, subject: LwcSubject, core: SimulatedLwcCore, rng: Random):
        self.subject, self.core, self.rng = subject, core, rng
        self.key, self.count, self.words = b"", 0, 0
        self.wanted: list[tuple[Message, bytes, bool]] = []

    def new_key(self) -> None:
        """Activates another key."""
        self.key = self.subject.good_key(self.rng)
        self.core.feed("sdi", self.core.form.key(self.key))
        self.core.feed("pdi", [self.core.form.instruction(Opcode.ACTIVATE_KEY)])

    def send(
        self, ad: int, text: int, decrypt: bool, nonce: int | None = None, *, wrong: bool = False, ad_segment: int = LONGEST,
        text_segment: int = LONGEST,
    ) -> None:  # fmt: skip
        """Queues a message with so many bytes."""
        d, rng = self.subject.description, self.rng
        nonce_bytes = rng.randbytes(d.nonces[0] if nonce is None else nonce)
        message, wanted = self.subject.message(self.key, nonce_bytes, rng.randbytes(ad), rng.randbytes(text), decrypt)
        found = judge_whole(d, decrypt, ad, text, d.tag_bytes[0]).settled(not wrong)
        if wrong:
            at = len(message.data) - 1 - rng.randrange(d.tag_bytes[0])
            data = bytearray(message.data)
            data[at] ^= 1 << rng.randrange(8)
            message = Message(message.nonce, bytes(data), message.ad, True)
        self.words += self.core.feed("pdi", self.core.form.message(message, d.tag_bytes[0], ad_segment, text_segment))
        self.wanted.append((message, wanted if found.leaves or not decrypt else b"", found.code == MessageCode.OK))

    def settle(self) -> None:
        """Runs all messages, and compares what they give.  Raises ``CheckFailed``."""
        answers = self.core.answers(len(self.wanted), 2 * self.words)
        for answer, (message, wanted, right) in zip(answers, self.wanted, strict=True):
            self._compare(answer, message, wanted, right)
        self.count += len(self.wanted)
        self.wanted, self.words = [], 0

    def _compare(self, answer: Answer, message: Message, wanted: bytes, right: bool) -> None:
        way = "open" if message.decrypt else "seal"
        what = f"a message to {way} with {len(message.ad)} bytes of associated data and {len(message.data)} of data"
        if answer.success != right:
            raise CheckFailed(f"{self.subject.directory}: {what} has the status {'SUCCESS' if answer.success else 'FAILURE'}")
        if answer.text + answer.tag != wanted:
            raise CheckFailed(f"{self.subject.directory}: {what} gives other text or another tag than the reference")


def check_lengths(subject: LwcSubject) -> tuple[str, dict[str, Any]]:
    """Runs messages of every length of associated data and text up to two blocks and a byte, and every length of nonces."""
    rng, d = subject.rng("lwc lengths"), subject.description
    run, most = _Run(subject, subject.words_core(), rng), 2 * d.block_bytes + 1
    for ad in range(most + 1):
        run.new_key()
        for text in range(most + 1):
            run.send(ad, text, rng.choice(subject.ways))
        run.settle()
    for decrypt in subject.ways:
        for nonce in d.nonces:
            run.send(nonce % 3, 2 * nonce, decrypt, nonce)
        run.settle()
    if True in subject.ways:
        for text in range(d.block_bytes + 1):
            run.send(3, text, True, wrong=True)
            run.send(3, text, True)
        run.settle()
    return f"{run.count} messages of all lengths up to {most} bytes, all lengths of nonces", {"messages": run.count}


def check_messages(subject: LwcSubject, wanted: int | None = None) -> tuple[str, dict[str, Any]]:
    """Runs random messages: several segments, new keys, wrong tags, and another pattern of pauses for each chunk."""
    rng, d, total = subject.rng("lwc messages"), subject.description, wanted or MESSAGES
    run, patterns = _Run(subject, subject.words_core(), rng), cycle(PATTERNS)
    while run.count < total:
        run.core.runner.set_gaps(dict.fromkeys(("pdi", "sdi", "do"), 0.0) | next(patterns))
        run.new_key()
        chunk = min(CHUNK, total - run.count)
        if chunk > 1 and len(subject.ways) > 1:
            # A message of one header waits for its key while the instruction of the next one, in the other direction, is there.
            run.send(0, 0, False, ad_segment=0)
            run.send(0, d.block_bytes, True)
        for _ in range(chunk - len(run.wanted)):
            if rng.random() < 0.2:
                run.new_key()
            decrypt, word = rng.choice(subject.ways), d.word_bytes
            nonce = rng.choice(d.nonces) if rng.random() < 0.2 else None
            run.send(
                _length(rng, d.block_bytes), _length(rng, d.block_bytes), decrypt, nonce, wrong=decrypt and rng.random() < 0.2,
                ad_segment=word * rng.randrange(1, 40), text_segment=d.block_bytes + word * rng.randrange(40),
            )  # fmt: skip
        run.settle()
    reference = "the independent reference" if subject.independent else "the definition"
    return f"{run.count} random messages with segments, keys and pauses agree with {reference}", {"messages": run.count}


def check_keys(subject: LwcSubject) -> tuple[str, dict[str, Any]]:
    """Sends keys behind messages that wait because DO rests.  Each message has the key that was activated before it.

    A message of many lengths, up to the longest that the core takes then, fills the queues before DO.  Behind it, a short one waits,
    and keys change twice.
    """
    run, d = _Run(subject, subject.words_core(), subject.rng("lwc keys")), subject.description
    run.new_key()
    longest = min(MOST_BLOCKS, _wait(run, MOST_BLOCKS) // (d.block_bytes // d.word_bytes))
    sizes = sorted({1 + (longest - 1) * number // SIZES for number in range(SIZES)} | set(range(max(1, longest - NEAR), longest + 1)))
    for blocks in sizes:
        _wait(run, blocks)
    text = f"keys change behind messages of {len(sizes)} lengths that wait for DO, with up to {many(longest, 'block')}"
    return text, {"lengths": len(sizes)}


def _wait(run: _Run, blocks: int) -> int:
    """Sends messages and keys while DO rests, and then lets DO go on.  Returns the number of words that PDI took while it rested."""
    runner, d, decrypt = run.core.runner, run.subject.description, run.subject.ways[0]
    runner.set_gaps({"do": AT_REST})
    for nbytes in (blocks * d.block_bytes, 1):
        run.send(0, nbytes, decrypt)
    for _ in range(KEYS):
        run.new_key()
        run.send(0, 1, decrypt)
    runner.run(max_cycles=d.message_cycles(0, 2 * blocks * d.block_bytes) + KEYS * (d.erase_cycles + KEY_CYCLES))
    taken = run.words - runner.waiting("pdi")
    runner.set_gaps({"do": 0.0})
    try:
        run.settle()
    except CheckFailed as fault:
        raise CheckFailed(f"{fault}, where keys change behind messages that wait for DO") from None
    return taken


def _length(rng: Random, size: int) -> int:
    """A random number of bytes, often none or whole blocks."""
    kind = rng.random()
    if kind < 0.2:
        return 0
    return size * rng.randrange(1, 6) if kind < 0.4 else rng.randrange(1, 6 * size)


# -- words -------------------------------------------------------------------------------------------------------------------------

# Compares every word of DO with what the protocol asks for, faults included, with many patterns of pauses; and erases the core.

PATIENCE = 200_000
"""Cycles beyond sixty for each word after which words that have not come count as missing."""


def check_words(subject: LwcSubject, compiled: CompiledStream) -> tuple[str, dict[str, Any]]:
    """Sends the words of the bench: messages, wrong keys, and every kind of fault, each with a right message behind it."""
    d = subject.description
    vectors, words = lwc_vectors(compiled, d), 0
    for seed, pattern in enumerate(PATTERNS):
        core = subject.words_core(seed=seed)
        core.runner.set_gaps(pattern)
        core.feed("pdi", [Piece("INS", vectors.pdi)])
        core.feed("sdi", [Piece("INS", vectors.sdi)])
        limit = PATIENCE + 60 * (len(vectors.pdi) + len(vectors.do))
        done = core.runner.run({"do": len(vectors.do)}, max_cycles=limit).done
        core.runner.run(max_cycles=500)
        taken = core.runner.take("do")
        came = list(zip(taken.values("do_data"), taken.values("do_last"), strict=True))
        where = f"{subject.directory}: with the pauses {pattern or 'of none'}"
        for at, (got, wanted) in enumerate(zip(came, vectors.do, strict=False)):
            if got != wanted:
                raise CheckFailed(f"{where}, word {at} of DO is {got[0]:x} with do_last {got[1]}, not {wanted[0]:x} with {wanted[1]}")
        if not done or len(came) != len(vectors.do):
            raise CheckFailed(f"{where}, DO gives {len(came)} words, not {len(vectors.do)}")
        if core.runner.violations("do"):
            raise CheckFailed(f"{where}, a word of DO changes before it is taken")
        words += len(came)
    return (
        f"{words} words of DO are those of the protocol: {vectors.messages} messages with all kinds of faults, {len(PATTERNS)} patterns of "
        "pauses"
    ), {"words": words, "messages": vectors.messages}  # fmt: skip


def check_zeroize(subject: LwcSubject) -> tuple[str, dict[str, Any]]:
    """Erases the core at many moments of a message.  Nothing leaves any more, and the key is gone."""
    rng, d = subject.rng("lwc zeroize"), subject.description
    core, key = subject.words_core(), subject.good_key(subject.rng("lwc zeroize key"))
    decrypt = subject.ways[-1]
    message, wanted = subject.message(key, rng.randbytes(d.nonces[0]), rng.randbytes(20), rng.randbytes(3 * d.block_bytes), decrypt)
    moments = 0
    for moment in range(0, 400, 7):
        core.runner.forget()
        core.feed("sdi", core.form.key(key))
        core.feed("pdi", [core.form.instruction(Opcode.ACTIVATE_KEY), *core.form.message(message, d.tag_bytes[0])])
        core.runner.run(max_cycles=moment)
        core.runner.forget()
        core.simulation.set("zeroize", 1)
        core.runner.run(max_cycles=1)
        core.simulation.set("zeroize", 0)
        core.runner.take("do")
        core.runner.run(max_cycles=d.erase_cycles + 200)
        if core.runner.take("do").count:
            raise CheckFailed(f"{subject.directory}: words leave after zeroize, {moment} cycles after a message began")
        core.restart_reader()
        core.feed("pdi", core.form.message(message, d.tag_bytes[0]))
        if core.answers(1, 1000)[0].success:
            raise CheckFailed(f"{subject.directory}: a key is left after zeroize, {moment} cycles after it was activated")
        moments += 1
    core.feed("sdi", core.form.key(key))
    core.feed("pdi", [core.form.instruction(Opcode.ACTIVATE_KEY), *core.form.message(message, d.tag_bytes[0])])
    (answer,) = core.answers(1, 1000)
    if not answer.success or answer.text + answer.tag != wanted:
        raise CheckFailed(f"{subject.directory}: a message after zeroize is wrong")
    return f"{moments} times in the middle of a message: nothing leaves, no key is left", {"moments": moments}


# -- steps -------------------------------------------------------------------------------------------------------------------------------

def verify_lwc(
    directory: str | Path, *, sectors: int | None = None, seed: int = 1, optimize: int = 2, hashes: bool = True, cycles: bool = True
) -> Iterator[Step]:
    """Runs all checks, and yields a step for each that passed.

    Parameters and errors are those of :func:`~modeloom.verification.stream.verify_messages`.
    """
    subject = LwcSubject(directory, optimize=optimize, seed=seed)
    description, folder = subject.description, subject.directory
    check_files(folder, description, hashes)
    made = same_lwc(description, folder)
    todo: list[Callable[[], Step]] = [
        lambda: files_step(folder, description, today(made, description, folder), hashes), partial(proof_step, subject, made),
        partial(_pipeline, subject, made), partial(lint_step, folder), partial(timing_step, folder, description),
        partial(run_check, subject, "vectors", check_vectors), partial(run_check, subject, "lengths", check_lengths),
        partial(run_check, subject, "words", partial(check_words, compiled=made.compiled)),
        partial(run_check, subject, "keys", check_keys),
        partial(run_check, subject, "messages", partial(check_messages, wanted=sectors)),
        partial(run_check, subject, "zeroize", check_zeroize), partial(bench_of, folder),
    ]  # fmt: skip
    yield from with_skipped(chain((make() for make in todo), datasheet_steps(folder, description, optimize=optimize, hashes=hashes)))


def _pipeline(subject: LwcSubject, made: LwcCore) -> Step:
    """Executes the Verilog on symbols."""
    report = prove_words(subject.directory, made.component)
    text = (
        f"the Verilog computes the pipeline: {report.words} words of DO for {report.messages} symbolic messages in "
        f"{report.cycles} cycles; {report.cores} ciphers and multipliers as a whole"
    )
    return Step("pipeline", text, {"messages": report.messages, "words": report.words, "cycles": report.cycles})
