# SPDX-License-Identifier: Apache-2.0
"""Test vectors in the files of others: ACVP, CAVP and Wycheproof, run through a software model or a simulated core.

::

    FILE ──read_file──▶ VectorFile with cases ──run_file──▶ Report: passed, failed, answered, not applicable
                                                   │
                       ModelSubject, CoreSubject ──┘        Report ──response──▶ the response file of ACVP
"""

from modeloom.conformance.case import Case, Unreadable, VectorFile
from modeloom.conformance.reading import read_file
from modeloom.conformance.subjects import Report, Subject, run_file, subject_of

__all__ = ["Case", "Report", "Subject", "Unreadable", "VectorFile", "read_file", "run_file", "subject_of"]
