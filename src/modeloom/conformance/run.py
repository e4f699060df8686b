# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a vector file through a subject, and counts what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeloom.conformance.case import Case, VectorFile
from modeloom.conformance.subjects import Job, NotApplicable, Refused, Result, Subject

__all__ = ["Report", "run_file"]


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
