# SPDX-License-Identifier: Apache-2.0
"""BRW polynomials, Schedule and π against what brw2013 prints, with its errata."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeloom_golden import brw, collapsed_forest, ghash_mul, permutation, schedule
from modeloom_golden.checks import xor

BLOCKS = st.binary(min_size=16, max_size=16)
# brw2013, section 4.2: π(1) … π(31).
PRINTED_PI = (
    *(1, 2, 7, 8, 3, 4, 13, 14, 5, 6, 11, 12, 9, 10, 19, 20),
    *(15, 16, 21, 22, 17, 18, 27, 28, 23, 24, 29, 30, 25, 26, 31),
)


def some_blocks(count, seed=1):
    """*count* distinct blocks without structure in the field."""
    element = bytes([seed]) + b"modeloom vectors"[:15]
    blocks = []
    for _ in range(count):
        element = xor(ghash_mul(element, element), b"\x01" * 16)
        blocks.append(element)
    return blocks


def power(h, exponent):
    result = h
    for _ in range(exponent - 1):
        result = ghash_mul(result, h)
    return result


def evaluate_by_schedule(h, x, stages):
    """BRW_h by one product for each node of the forest; a product is an operand *stages* cycles after its issue."""
    m = len(x)
    children = {label: [] for label in range(2, m + 1, 2)}
    roots = []
    for label, parent in collapsed_forest(m).items():
        (roots if parent is None else children[parent]).append(label)
    ready, product = {}, {}
    for clock, label in enumerate(schedule(m, stages), 1):
        if label is None:
            continue
        assert all(ready[child] <= clock for child in children[label])
        if label == m and label % 4 == 2:
            product[label] = ghash_mul(x[label - 1], h)
            product[label] = xor(product[label], x[label - 2])
        else:
            weight = label & -label
            others = [h] if weight == 2 else [product[child] for child in children[label]]
            product[label] = ghash_mul(xor(x[label - 2], *others), xor(x[label - 1], power(h, weight)))
        ready[label] = clock + stages
    return xor(bytes(16), *(product[root] for root in roots), *([x[m - 1]] if m % 2 else []))


# A busy machine may take long to draw.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(h=BLOCKS, x=st.lists(BLOCKS, min_size=11, max_size=11))
def test_definition_written_out(h, x):
    h2, h4, h8 = (power(h, exponent) for exponent in (2, 4, 8))
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11 = x
    first_three = xor(ghash_mul(xor(h, x1), xor(h2, x2)), x3)
    first_four = ghash_mul(first_three, xor(h4, x4))
    first_seven = xor(first_four, ghash_mul(xor(h, x5), xor(h2, x6)), x7)
    first_eight = ghash_mul(first_seven, xor(h8, x8))
    expected = [
        bytes(16),
        x1,
        xor(ghash_mul(x2, h), x1),
        first_three,
        first_four,
        xor(first_four, x5),
        xor(first_four, ghash_mul(x6, h), x5),
        first_seven,
        first_eight,
        xor(first_eight, x9),
        xor(first_eight, ghash_mul(x10, h), x9),
        xor(first_eight, ghash_mul(xor(h, x9), xor(h2, x10)), x11),
    ]
    assert [brw(h, x[:m]) for m in range(12)] == expected


def test_example_1_multiplications_of_sixteen_blocks():
    h = some_blocks(1, seed=9)[0]
    x = [b"", *some_blocks(16)]
    r1 = ghash_mul(xor(x[2], power(h, 2)), xor(x[1], h))
    r2 = ghash_mul(xor(x[6], power(h, 2)), xor(x[5], h))
    r3 = ghash_mul(xor(x[4], power(h, 4)), xor(x[3], r1))
    r4 = ghash_mul(xor(x[10], power(h, 2)), xor(x[9], h))
    r5 = ghash_mul(xor(x[8], power(h, 8)), xor(r3, r2, x[7]))
    r6 = ghash_mul(xor(x[12], power(h, 4)), xor(x[11], r4))
    r7 = ghash_mul(xor(x[14], power(h, 2)), xor(x[13], h))
    r8 = ghash_mul(xor(x[16], power(h, 16)), xor(r5, r6, r7, x[15]))
    assert brw(h, x[1:]) == r8


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_forest_and_schedule_compute_the_polynomial(stages):
    h = some_blocks(1, seed=5)[0]
    for m in range(1, 71):
        x = some_blocks(m)
        assert evaluate_by_schedule(h, x, stages) == brw(h, x), m


def test_number_of_products():
    # floor(m / 2) multiplications, and the squarings up to h^t for the largest t ≤ m.
    for m in range(2, 66):
        calls = []

        def counting(a, b, calls=calls):
            calls.append(a == b)
            return ghash_mul(a, b)

        brw(b"\x42" * 16, some_blocks(m), counting)
        assert calls.count(False) == m // 2
        assert calls.count(True) == m.bit_length() - 1


def test_forest_properties_of_proposition_1():
    for m in range(2, 200):
        forest = collapsed_forest(m)
        half = m // 2
        assert list(forest) == list(range(2, 2 * half + 1, 2))
        roots = [label for label, parent in forest.items() if parent is None]
        assert len(roots) == half.bit_count()
        assert forest == collapsed_forest(2 * half)
        sizes = dict.fromkeys(roots, 0)
        for label in forest:
            top = label
            while forest[top] is not None:
                top = forest[top]
            sizes[top] += 1
        assert sum(sizes.values()) == half
        assert sorted(sizes.values()) == [1 << bit for bit in range(half.bit_length()) if half >> bit & 1]
        for label in forest:
            children = [child for child, parent in forest.items() if parent == label]
            if label % 4 == 2:
                assert children == []
            elif label % 8 == 4:
                assert children == [label - 2]
            else:
                assert {label - 2, label - 4} <= set(children)


def test_printed_schedules():
    assert schedule(16, 2) == [2, 6, 4, 10, 8, 12, 14, None, 16]
    assert schedule(30, 2) == [2, 6, 4, 10, 8, 12, 14, 18, 16, 20, 22, 26, 24, 28, 30]
    # Fig. 8 and section 3: ACC1 holds M_2, M_5, M_6, M_9; M_10, M_13, M_14, M_15 are the roots 16, 30, 24, 28.
    issued = schedule(31, 3)
    assert [issued[place - 1] for place in (10, 13, 14, 15)] == [16, 30, 24, 28]


def printed_schedule(m, stages, *, strict, both, clock_in_else):
    """Fig. 4 with any of its three printed lines put back; at most 200 turns of the loop."""
    forest = collapsed_forest(m)
    waiting = {label: sum(parent == label for parent in forest.values()) for label in forest}
    first, second, started, output, clock = [x for x in forest if not waiting[x]], [], {}, {}, 1
    for _ in range(200):
        if not (first and second if both else first or second):
            break
        chosen = None
        if second and (clock - started[second[0]] > stages if strict else clock - started[second[0]] >= stages):
            chosen, from_second = second.pop(0), True
        else:
            chosen, from_second = (first.pop(0) if first else None), False
        if chosen is not None:
            output.setdefault(clock, []).append(chosen)
            parent = forest[chosen]
            if parent is not None:
                waiting[parent] -= 1
                if waiting[parent] == 0:
                    started[parent] = clock
                    second.append(parent)
        if not (clock_in_else and from_second):
            clock += 1
    return output


def test_errata_of_fig_4_tell_apart():
    # Example 1, Fig. 5: cycle → output.
    example = {1: [2], 2: [6], 3: [4], 4: [10], 5: [8], 6: [12], 7: [14], 9: [16]}
    assert printed_schedule(16, 2, strict=False, both=False, clock_in_else=False) == example
    assert {clock: [label] for clock, label in enumerate(schedule(16, 2), 1) if label is not None} == example
    # Line 12 with >: node 4 would wait until cycle 4, node 16 beyond cycle 9.
    strict = printed_schedule(16, 2, strict=True, both=False, clock_in_else=False)
    assert strict[3] != [4]
    assert max(strict) > 9
    # Line 10 with "both not empty": nothing is scheduled at all, as L_2 starts empty.
    assert printed_schedule(16, 2, strict=False, both=True, clock_in_else=False) == {}
    # Line 19 inside the else branch: two multiplications in one cycle of one multiplier.
    crowded = printed_schedule(16, 2, strict=False, both=False, clock_in_else=True)
    assert max(map(len, crowded.values())) > 1


@pytest.mark.parametrize("m", range(6, 130))
def test_theorem_1(m):
    p = m // 2
    assert len(schedule(m, 2)) == (p + 1 if p % 4 == 0 else p)
    if p >= 6:  # for three stages the law that the algorithm obeys from six multiplications on
        assert len(schedule(m, 3)) == p + (2, 1, 1, 0)[p % 4]


def test_thirty_blocks_take_fifteen_cycles():
    for m in (30, 31):
        for stages in (2, 3):
            assert len(schedule(m, stages)) == 15
            assert None not in schedule(m, stages)


def test_recursive_description_of_the_schedules():
    # brw2013, section 2.3, after the proof of Theorem 1: from the sequence of p multiplications to that of p + 1.
    for stages, start in ((2, 4), (3, 6)):
        for p in range(start, 64):
            shorter = [label for label in schedule(2 * p, stages) if label is not None]
            longer = [label for label in schedule(2 * p + 2, stages) if label is not None]
            new = 2 * (p + 1)
            kept = {(2, 1): 1, (3, 1): 1, (3, 3): 2}.get((stages, (p + 1) % 4), 0)
            assert longer == [*shorter[: p - kept], new, *shorter[p - kept :]], (stages, p)


def test_permutation_is_the_printed_one():
    assert permutation(31) == PRINTED_PI
    assert permutation(31, 3) == PRINTED_PI


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_permutation_makes_the_schedule_read_in_natural_order(stages):
    for m in range(70):
        pi = permutation(m, stages)
        assert sorted(pi) == list(range(1, m + 1))
        labels = [label for label in schedule(m, stages) if label is not None]
        read = [pi[place - 1] for label in labels for place in (label - 1, label)]
        assert [*read, *pi[2 * len(labels) :]] == list(range(1, m + 1))


def test_what_is_refused():
    with pytest.raises(ValueError, match="hash key must be 16 bytes"):
        brw(bytes(8), [])
    with pytest.raises(ValueError, match="block must be 16 bytes"):
        brw(bytes(16), [bytes(8)])
    for function in (schedule, permutation):
        with pytest.raises(ValueError, match="number of blocks must be at least 0"):
            function(-1, 3)
        with pytest.raises(ValueError, match="number of stages must be at least 1"):
            function(4, 0)
        with pytest.raises(TypeError, match="number of blocks must be an int"):
            function(4.0, 3)
        with pytest.raises(TypeError, match="number of stages must be an int"):
            function(4, True)
