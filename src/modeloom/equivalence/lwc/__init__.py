# SPDX-License-Identifier: Apache-2.0
"""An emitted core behind the LWC interface, executed on symbols and compared with the pipeline of tokens, word by word."""

from modeloom.equivalence.lwc.proof import prove_words

__all__ = ["prove_words"]
