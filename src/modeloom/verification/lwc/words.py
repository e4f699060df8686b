# SPDX-License-Identifier: Apache-2.0
"""Compares every word of DO with what the protocol asks for, faults included, with many patterns of pauses; and erases the core."""

from __future__ import annotations

from typing import Any

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc.vectors import lwc_vectors
from modeloom.emit import CheckFailed
from modeloom.interfaces.lwc import Opcode
from modeloom.protocol.segments import Piece
from modeloom.verification.lwc.messages import PATTERNS
from modeloom.verification.lwc.subject import LwcSubject

__all__ = ["check_words", "check_zeroize"]

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
