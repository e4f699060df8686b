# SPDX-License-Identifier: Apache-2.0
"""Proves that the set-up of a pipeline computes the key values of the definition, and their powers.

The definition's set-up gives each key value as a normal form.  The preparations run one after another on the words of the key memory, and
each must give the word that it is for::

    preparation for (H, 3):   word (H, 2) * word (H, 1)   =   power (H, 3)
"""

from __future__ import annotations

from modeloom.prove.errors import ProofError
from modeloom.prove.polynomials import Polynomial
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Forms
from modeloom.streams.setup import Word
from modeloom.streams.steps import Form

__all__ = ["prove_setup"]


def prove_setup(plan: StreamPlan) -> None:
    """Compares all words of the key memory with the definition.  Raises ``ProofError`` if one differs, or is read before it is made."""
    forms = Forms(plan)
    made = {made.word for made in plan.preparations}
    words: dict[Word, Polynomial] = {word: forms.key(0, *word) for word in plan.words if word not in made}
    for node, exponent in words:
        if plan.trace.nodes[node].kind != "raw" or exponent != 1:
            raise ProofError(f"{plan.mode.name}: no preparation makes {plan.word_name(node, exponent)}")

    def value(form: Form) -> Polynomial:
        total = forms.zero
        for term in form:
            kind, what = term.source
            if kind == "word":
                assert isinstance(what, tuple)
                if what not in words:
                    raise ProofError(f"{plan.mode.name}: set-up reads a word of the key memory before it is made")
                read = words[what]
            else:
                assert isinstance(what, int)
                read = forms.const(what)
            for wire in term.maps:
                read = forms.wire(wire, read, 0)
            total = total ^ read
        return total

    for each in plan.preparations:
        result = forms.operate(each.operation, [value(form) for form in each.operands], each.number, 0)
        if result != forms.key(0, *each.word):
            raise ProofError(f"{plan.mode.name}: set-up does not compute {plan.word_name(*each.word)}")
        words[each.word] = result
