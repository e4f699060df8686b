# SPDX-License-Identifier: Apache-2.0
"""Parts of ``tools/mutate.py``: mutations of a source, which test runs which statement, and the run of tests against a mutant."""
