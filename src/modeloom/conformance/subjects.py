# SPDX-License-Identifier: Apache-2.0
"""What runs test vectors: the software model of a mode, or the simulation of a core.

Each takes pairs of a case and a direction, and gives a result for each: what came out, or that the message was refused, or why it cannot
run the case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from modeloom.ciphers import cipher_of
from modeloom.conformance.case import DIRECTIONS, Case, VectorFile
from modeloom.definition.messages import StreamModel
from modeloom.definition.software import Model
from modeloom.interfaces.messages import MessageCode
from modeloom.modes import find_any
from modeloom.product.beats import SectorDescription
from modeloom.product.description import Description
from modeloom.product.folder import other_kind, read_description
from modeloom.product.message import Message, MessageError, Outcome, check_message, check_room
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated import Sector, SimulatedCore, message_core
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError
from modeloom.spec.mode import Mode

__all__ = ["NotApplicable", "Refused", "Report", "Result", "Subject", "run_file", "subject_of"]

Job = tuple[Case, str]
"""A case and a direction."""


@dataclass(frozen=True)
class NotApplicable:
    """Why a case cannot be run."""

    reason: str


@dataclass(frozen=True)
class Refused:
    """A message was refused: its tag is wrong."""


Result = bytes | Refused | NotApplicable | MessageError


class Subject(Protocol):
    """What runs cases.

    ``mode`` and ``cipher`` are names, ``kind`` is "model" or "core", and ``directions`` are those that it has.
    """

    mode: str
    cipher: str
    kind: str
    directions: Sequence[str]

    def run(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """The result of each job, in their order."""
        ...


def subject_of(target: str, cipher: str | None = None, optimize: int = 2) -> Subject:
    """The simulation of the core in a folder, or the model of a mode.

    Parameters
    ----------
    target : str
        The folder of a core, or a mode by its name or by file and class.
    cipher : str, optional
        The block cipher of the model (default: that of the mode).  It must not be given for a core.
    optimize : int
        Optimisation level of the C++ compiler for the simulation.

    Raises
    ------
    InputError
        It is neither, or the core is of a kind that has no vectors.
    """
    if not Path(target).is_dir():
        return ModelSubject(target, cipher)
    if cipher is not None:
        raise InputError(f"{target} holds a core, which has its block cipher; leave out --cipher")
    description = read_description(target)
    if isinstance(description, StreamDescription):
        return MessageCoreSubject(target, description, optimize)
    if isinstance(description, SectorDescription):
        return SectorCoreSubject(target, description, optimize)
    raise other_kind(target, description, "a core for sectors or messages")


class ModelSubject:
    """The software model of a mode."""

    kind = "model"
    directions: Sequence[str] = DIRECTIONS

    def __init__(self, name: str, cipher: str | None = None):
        self._mode = find_any(name, cipher=cipher)
        self._cipher = cipher
        self.mode, self.cipher = self._mode.name, cipher_of(self._mode, cipher).name

    def run(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """The result of each job.  Models of the last key are kept."""
        key, model = None, None
        for case, direction in jobs:
            try:
                if key != case.key:
                    key, model = None, self._model(case.key)
                    key = case.key
                yield self._one(model, case, direction)
            except AuthenticationError:
                yield Refused()
            except InputError as error:
                yield NotApplicable(str(error))

    def _model(self, key: bytes) -> Model | StreamModel:
        return Model(self._mode, key, self._cipher) if isinstance(self._mode, Mode) else StreamModel(self._mode, key, self._cipher)

    def _one(self, model: Model | StreamModel | None, case: Case, direction: str) -> bytes:
        if isinstance(model, StreamModel):
            data = case.input(direction)
            assert data is not None
            step = {"encrypt": model.seal, "decrypt": model.open}[direction]
            return step(case.nonce, data, case.ad, case.tag_bytes)
        assert isinstance(self._mode, Mode) and model is not None
        self._mode.check_tweak(len(case.nonce))
        units = case.units(direction)
        for _, data in units:
            self._mode.check_sector(len(data))
        return b"".join({"encrypt": model.encrypt, "decrypt": model.decrypt}[direction](*unit) for unit in units)


C = TypeVar("C", SimulatedCore, SimulatedStreamCore | SimulatedLwcCore)


class _CoreSubject(Generic[C]):
    """What the subjects of cores have in common: cases under as many keys at a time as the core has slots."""

    kind = "core"

    def __init__(self, core: C, description: Description, directions: Sequence[str]):
        self.core: C = core
        self.mode, self.cipher, self.directions = description.mode, description.cipher, directions

    def run(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """The result of each job."""
        results: dict[int, Result] = {}
        waiting: dict[bytes, list[tuple[int, Job]]] = {}
        for number, job in enumerate(jobs):
            try:
                self._check(*job)
                waiting.setdefault(job[0].key, []).append((number, job))
            except InputError as error:
                results[number] = NotApplicable(str(error))
        keys, slots = list(waiting), max(1, min(self.core.slots, 64))
        for at in range(0, len(keys), slots):
            for slot, key in enumerate(keys[at : at + slots]):
                self._load(key, slot)
            chosen = [(number, job, slot) for slot, key in enumerate(keys[at : at + slots]) for number, job in waiting[key]]
            outputs = self._run([(job, slot) for _, job, slot in chosen])
            results.update((number, output) for (number, _, _), output in zip(chosen, outputs, strict=True))
        return iter([results[number] for number in range(len(jobs))])

    def _check(self, case: Case, direction: str) -> None:
        """Raises ``InputError`` if the core cannot take a case."""
        raise NotImplementedError

    def _load(self, key: bytes, slot: int) -> None:
        self.core.load_key(key, slot)

    def _run(self, jobs: Sequence[tuple[Job, int]]) -> list[Result]:
        """The results of jobs under the keys of slots."""
        raise NotImplementedError


class MessageCoreSubject(_CoreSubject[SimulatedStreamCore | SimulatedLwcCore]):
    """The simulation of a core for messages."""

    def __init__(self, directory: str, description: StreamDescription, optimize: int):
        super().__init__(message_core(directory, optimize=optimize), description, description.directions)
        self._directory, self._description = directory, description

    def _message(self, case: Case, direction: str, slot: int = 0, way: int | None = None, data: bytes | None = None) -> Message:
        d = self._description
        # ``outcomes`` takes the key of the message.
        slot, key = d.key_source.brings(slot, d.message_key(self._directory, case.key, case.nonce))
        given = case.input(direction) if data is None else data
        assert given is not None
        way = int(direction == "decrypt") if way is None else way
        return Message(case.nonce, given, case.ad, way, slot, case.tag_bytes, key)

    def _check(self, case: Case, direction: str) -> None:
        d = self._description
        if len(case.key) not in d.user_key_lengths:
            raise InputError(f"{d.mode}: a key of this core has {' or '.join(map(str, d.user_key_lengths))} bytes, not {len(case.key)}")
        data = case.input(direction)
        assert data is not None
        decrypt = direction == "decrypt"
        tag_bytes = check_message(d, Message(case.nonce, data, case.ad, decrypt, 0, case.tag_bytes), len(data))
        for way in d.passes.of(decrypt):
            check_room(d, way, len(case.ad), len(data) - (tag_bytes if decrypt else 0))

    def _load(self, key: bytes, slot: int) -> None:
        for each in self._description.key_source.loaded([key]):
            super()._load(each, slot)

    def _run(self, jobs: Sequence[tuple[Job, int]]) -> list[Result]:
        outcomes = self.core.outcomes([self._message(*job, slot) for job, slot in jobs])
        results = [self._result(number, outcome, job) for number, (outcome, (job, _)) in enumerate(zip(outcomes, jobs, strict=True))]
        again, second = [], []
        for later in self._description.passes.sealing[1:]:
            for number, (((case, way), slot), outcome) in enumerate(zip(jobs, outcomes, strict=True)):
                if way == "encrypt" and outcome.code == MessageCode.OK:
                    again.append(number)
                    second.append(self._message(case, way, slot, later, (case.plain or b"") + outcome.tag))
        for number, outcome in zip(again, self.core.outcomes(second), strict=True):
            ok = outcome.code == MessageCode.OK
            results[number] = outcome.text + outcomes[number].tag if ok else MessageError(number, outcome.code)
        return results

    @staticmethod
    def _result(number: int, outcome: Outcome, job: Job) -> Result:
        if outcome.code == MessageCode.OK:
            return outcome.text + outcome.tag
        return Refused() if outcome.code == MessageCode.WRONG_TAG and job[1] == "decrypt" else MessageError(number, outcome.code)


class SectorCoreSubject(_CoreSubject[SimulatedCore]):
    """The simulation of a core for sectors."""

    def __init__(self, directory: str, description: SectorDescription, optimize: int):
        super().__init__(SimulatedCore(directory, optimize=optimize), description, description.directions)
        self._description = description

    def _check(self, case: Case, direction: str) -> None:
        d = self._description
        for _, data in case.units(direction):
            if len(data) not in d.sector_sizes:
                raise InputError(f"a sector of this core has {' or '.join(map(str, d.sector_sizes))} bytes, not {len(data)}")
        if len(case.nonce) != d.tweak_bytes:
            raise InputError(f"a tweak of this core has {d.tweak_bytes} bytes, not {len(case.nonce)}")
        self.core.check_key(case.key)

    def _run(self, jobs: Sequence[tuple[Job, int]]) -> list[Result]:
        units = [case.units(way) for (case, way), _ in jobs]
        sectors = [Sector(*unit, way == "decrypt", slot) for ((_, way), slot), each in zip(jobs, units, strict=True) for unit in each]
        outputs = iter(self.core.run(sectors))
        return [b"".join(islice(outputs, len(each))) for each in units]


# -- run ---------------------------------------------------------------------------------------------------------------------------

# Runs the tests of a vector file through a subject, and counts what came of them.

@dataclass(frozen=True, kw_only=True)
class Report:
    """What came of the tests of a file.

    Attributes
    ----------
    passed : int
        Tests that gave what the file says, in each direction of the test that the subject has.
    answered : int
        Tests that ran, and for which the file does not say what must come out.
    failed : mapping of str to str
        By the names of tests, what is wrong.
    not_applicable : mapping of str to int
        By the reason, the number of tests that could not be run, or in one of these directions only, in which they passed.
    answers : mapping of str to bytes or None
        By the names of tests, what came out in their first direction; None if the message was refused.
    """

    file: VectorFile
    passed: int
    answered: int
    failed: Mapping[str, str]
    not_applicable: Mapping[str, int]
    answers: Mapping[str, bytes | None]


def run_file(file: VectorFile, subject: Subject) -> Report:
    """Runs all tests of a file that a subject can run."""
    other = _other(file, subject)
    able = [] if other else [case for case in file.cases if not case.reason]
    jobs = [(case, way) for case in able for way in case.directions if way in subject.directions and case.input(way) is not None]
    results: dict[int, list[tuple[Job, Result]]] = {}
    for job, result in zip(jobs, subject.run(jobs), strict=True):
        results.setdefault(id(job[0]), []).append((job, result))
    tally = _Tally(subject, other)
    for case in file.cases:
        tally.add(case, results.get(id(case), []))
    return Report(
        file=file, passed=tally.passed, answered=tally.answered, failed=tally.failed, not_applicable=dict(tally.reasons),
        answers=tally.answers,
    )  # fmt: skip


class _Tally:
    """What came out of the tests so far."""

    def __init__(self, subject: Subject, other: str):
        self.subject, self.other = subject, other
        self.passed = self.answered = 0
        self.failed: dict[str, str] = {}
        self.reasons: Counter[str] = Counter()
        self.answers: dict[str, bytes | None] = {}

    def add(self, case: Case, results: Sequence[tuple[Job, Result]]) -> None:
        """Counts a test with its results, those of directions that the subject cannot run included."""
        ran = [(job, result) for job, result in results if not isinstance(result, NotApplicable)]
        unable = [result.reason for _, result in results if isinstance(result, NotApplicable)]
        if not ran:
            self.reasons[case.reason or self.other or (unable[0] if unable else _unasked(case, self.subject))] += 1
            return
        first = ran[0][1]
        if isinstance(first, (bytes, Refused)):
            self.answers[case.name] = first if isinstance(first, bytes) else None
        if wrong := [text for job, result in ran if (text := _wrong(*job, result))]:
            self.failed[case.name] = wrong[0]
        elif unable:
            self.reasons[f"{unable[0]} (the other direction passed)"] += 1
        elif all(case.valid is None or (case.valid and case.output(way) is None) for (_, way), _ in ran):
            self.answered += 1
        else:
            self.passed += 1


def _other(file: VectorFile, subject: Subject) -> str:
    """Why no test of a file is for a subject; empty if they are."""
    if (file.mode, file.cipher) == (subject.mode, subject.cipher):
        return ""
    return f"the file is of {file.algorithm}, and the {subject.kind} of {subject.mode} with {subject.cipher}"


def _unasked(case: Case, subject: Subject) -> str:
    """Why a subject was not asked to run a case."""
    if any(way in subject.directions for way in case.directions):
        return "the file does not have its input"
    return f"this {subject.kind} was not built to {' or '.join(_does(case, way) for way in case.directions)}"


def _does(case: Case, direction: str) -> str:
    """What a subject does with a case."""
    return {"encrypt": "seal", "decrypt": "open"}[direction] if case.tag_bytes else direction


def _wrong(case: Case, direction: str, result: Result) -> str:
    """What is wrong about a result; empty if nothing is."""
    does = _does(case, direction)
    if isinstance(result, Refused):
        return f"{does}: a valid message was refused" if case.valid else ""
    if not isinstance(result, bytes):
        return f"{does}: {result}"
    if case.valid is False:
        return f"{does}: a forged message was accepted"
    wanted = case.output(direction)
    if case.valid is None or wanted is None or wanted == result:
        return ""
    if len(wanted) != len(result):
        return f"{does}: {len(result)} bytes, not {len(wanted)}"
    at = next(at for at, (one, two) in enumerate(zip(wanted, result, strict=True)) if one != two)
    return f"{does}: byte {at} of {len(wanted)} differs"
