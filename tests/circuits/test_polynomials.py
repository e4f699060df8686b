# SPDX-License-Identifier: Apache-2.0
"""The circuits ``brw`` and ``poly``: their figures beside brw2013, and the whole width in simulation."""

from random import Random

import pytest
from tests.built import slow
from tests.circuits.units import measured

from modeloom.spec import InputError
from modeloom_circuits import find_circuit, printed
from modeloom_golden import ghash, polyval

CASES = [
    ("brw", {"times_h": "yes", "squares": "fly"}),
    ("brw", {"blocks": 16, "stages": 2, "field": "polyval", "squares": "fly"}),
    ("brw", {"blocks": 6, "stages": 1, "field": "xts", "halt": 8}),
    ("brw", {"blocks": 1}),
    ("brw", {"blocks": 24, "order": "shortest"}),
    ("poly", {"times_h": "yes"}),
    ("poly", {"blocks": 5, "stages": 4, "field": "polyval"}),
]


@slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_latency_and_interval(name, options):
    built = find_circuit(name).build(**options)
    assert measured(built) == [(built.component.latency, built.component.interval)]


def test_figures_of_31_blocks():
    built = find_circuit("brw").build(times_h="yes", squares="fly")
    assert built.figures == {
        "multiplications": 16, "cycles": 21, "schedule": "2 6 10 4 14 12 8 18 22 16 20 26 30 24 28", "clocks": 15,
        "least_clocks": 15, "extra_storage": 1, "trees": 4, "levels": 4, "power_registers": 0, "square_units": 2,
    }  # fmt: skip
    setup = find_circuit("brw").build().figures
    assert (setup["cycles"], setup["multiplications"], setup["power_registers"], setup["square_units"]) == (18, 15, 4, 0)
    assert find_circuit("poly").build(times_h="yes").figures == {
        "multiplications": 31, "cycles": 34, "chains": 3, "power_registers": 2,
    }  # fmt: skip


def test_schedules_as_text():
    for m, stages, text in ((16, 2, "2 6 4 10 8 12 14 – 16"), (30, 2, "2 6 4 10 8 12 14 18 16 20 22 26 24 28 30")):
        assert find_circuit("brw").build(blocks=m, stages=stages).figures["schedule"] == text
    assert find_circuit("brw").build(blocks=1).figures["schedule"] == ""


@pytest.mark.parametrize("field", ("ghash", "polyval", "xts"))
@pytest.mark.parametrize("name", ("brw", "poly"))
def test_operations_are_the_polynomials(name, field):
    """The expected result, computed once more here from the blocks as the ports see them; h comes from the key port."""
    built = find_circuit(name).build(blocks=7, stages=2, field=field, times_h="yes")
    plan, mul = built.component.plan, built.component.field.mul
    h = built.prepare[0]["key"]
    operation = built.operation(Random(5))
    x = [0] * 7
    for step, ports in zip(plan.steps, operation.inputs):
        for port, number in zip("ab"[: plan.ports], range(plan.ports * (step.pair or 0), 7)):
            if step.pair is not None:
                x[number] = ports[port]
    h2 = mul(h, h)
    if name == "brw":
        first = mul(mul(h ^ x[0], h2 ^ x[1]) ^ x[2], mul(h2, h2) ^ x[3])
        value = first ^ mul(h ^ x[4], h2 ^ x[5]) ^ x[6]
    else:
        value = 0
        for block in x:
            value = mul(value, h) ^ block
    assert operation.outputs == [{"o": mul(value, h), "done": 1}]


def test_horner_times_h_is_the_hash_of_the_standards():
    """h Poly_h is GHASH without its block of lengths, and POLYVAL: RFC 8452."""
    for field, polynomial in (("ghash", ghash), ("polyval", polyval)):
        built = find_circuit("poly").build(blocks=4, field=field, times_h="yes")
        operation = built.operation(Random(1))
        blocks = [ports["a"].to_bytes(16, "little") for ports in operation.inputs[:4]]
        h = built.prepare[0]["key"].to_bytes(16, "little")
        assert operation.outputs[0]["o"] == int.from_bytes(polynomial(h, blocks), "little")


def test_pairs_in_the_order_of_the_printed_permutation():
    """brw2013, section 4.2: 31 blocks and three stages; the r-th product takes the pair of the r-th label."""
    plan = find_circuit("brw").build().component.plan
    (row,) = (row for row in printed("brw2013", "sequences") if row["values"]["m"] == 31)
    assert [2 * step.pair + 2 for step in plan.steps if step.issue] == row["values"]["sequence"]


@pytest.mark.parametrize(
    ("name", "options"),
    (("brw", {"blocks": 0}), ("brw", {"stages": 0}), ("brw", {"squares": "no"}), ("brw", {"field": "aes"}), ("poly", {"times_h": "2"})),
)
def test_refused(name, options):
    with pytest.raises(InputError):
        find_circuit(name).build(**options)
