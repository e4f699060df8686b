# SPDX-License-Identifier: Apache-2.0
"""Horner's rule in k interleaved chains, as a multiplier with registers needs it: a study in numbers, compared with GHASH.

Block i of n goes to chain i mod k, and *left* counts the blocks from it to the last one, both included::

    y_j ← (y_j ⊕ x) · H^min(k, left)            GHASH = the sum of the last min(k, n) products

With B blocks a cycle the blocks stand in slots, B to a token, and some slots are empty: those behind the associated data, as
text begins with a token of its own. Then every slot of the message, full or empty (x = 0), is a step of its chain, slot modulo k,
and the exponent is the number of full slots among the k slots from this one on. Without empty slots this is the same rule.
"""

from collections import deque
from dataclasses import dataclass
from functools import reduce
from operator import xor
from random import Random

import pytest

from modeloom_golden import AES, GCM, gcm

CHAINS = range(1, 9)


def hashed(h, blocks):
    """GHASH of numbers, by the reference."""
    joined = b"".join(block.to_bytes(16, "big") for block in blocks)
    return int.from_bytes(gcm.ghash(h.to_bytes(16, "big"), joined), "big")


def powers(h, k):
    """H^0 … H^k."""
    result = [1 << 127]
    for _ in range(k):
        result.append(gcm.multiply(result[-1], h))
    return result


def plain_rule(k, left):
    return min(k, left)


def decimated(h, blocks, k, rule=plain_rule, first=0):
    """The hash in k chains, of which block 0 takes chain *first*."""
    power, chain, total, n = powers(h, k + 1), [0] * k, 0, len(blocks)
    for i, x in enumerate(blocks):
        left, j = n - i, (first + i) % k
        chain[j] = gcm.multiply(chain[j] ^ x, power[rule(k, left)])
        total ^= chain[j] if left <= k else 0
    return total


def random_blocks(random, n):
    return [random.getrandbits(128) for _ in range(n)]


@pytest.mark.parametrize("k", CHAINS)
def test_every_length_and_first_chain(k):
    random = Random(k)
    for n in [*range(3 * k + 4), *(random.randrange(30, 200) for _ in range(3))]:
        h, blocks = random.getrandbits(128), random_blocks(random, n)
        assert decimated(h, blocks, k, first=random.randrange(k)) == hashed(h, blocks), n


@pytest.mark.parametrize("k", CHAINS)
def test_hash_of_a_message(k):
    """Tag and mask of real messages: associated data, text and lengths are blocks of one hash, whatever is partial or empty."""
    random, key = Random(k), bytes(range(16))
    aes = AES(key)
    h = int.from_bytes(aes.encrypt_block(bytes(16)), "big")
    for _ in range(12):
        nonce, ad, text = random.randbytes(12), random.randbytes(random.randrange(100)), random.randbytes(random.randrange(200))
        sealed = GCM(key).seal(nonce, text, ad)
        blocks = [*padded(ad), *padded(sealed[:-16]), 8 * len(ad) << 64 | 8 * len(text)]
        mask = int.from_bytes(aes.encrypt_block(nonce + b"\0\0\0\1"), "big")
        assert (decimated(h, blocks, k) ^ mask).to_bytes(16, "big") == sealed[-16:]


def padded(data):
    data += bytes(-len(data) % 16)
    return [int.from_bytes(data[i : i + 16], "big") for i in range(0, len(data), 16)]


@pytest.mark.parametrize("k", CHAINS)
def test_other_rules_are_wrong(k):
    """One more, one less, no bound by what is left: each is another hash for some length up to 2k + 1."""
    random = Random(k)
    h = random.getrandbits(128)
    for rule in (
        lambda k, left: min(k, left - 1),
        lambda k, left: min(k, left + 1),
        lambda k, left: min(k + 1, left),
        lambda k, left: max(0, min(k - 1, left)),
        lambda k, left: k,
    ):
        right = []
        for n in range(1, 2 * k + 2):
            blocks = random_blocks(random, n)
            right.append(decimated(h, blocks, k, rule) == hashed(h, blocks))
        # Horner's own rule: with one chain the weight is H whatever is left.
        assert all(right) == (k == 1 and rule(1, 5) == rule(1, 1) == 1)


@pytest.mark.parametrize("k", CHAINS)
def test_the_end_must_be_known_k_minus_1_blocks_ahead(k):
    """With a queue of k - 1 blocks before the multiplier no length is needed in advance; the hash is the sum of the chains."""
    random = Random(k)
    for n in range(3 * k + 2):
        h, blocks = random.getrandbits(128), random_blocks(random, n)
        power, chain, queue, i = powers(h, k), {}, deque(), 0
        for x in [*blocks, *[None] * (k - 1)]:
            # None is a cycle after the last block.
            queue.append(x)
            if len(queue) == k and (oldest := queue.popleft()) is not None:
                follow = sum(later is not None for later in queue)
                chain[i % k] = gcm.multiply(chain.get(i % k, 0) ^ oldest, power[1 + follow])
                i += 1
        assert i == n
        assert reduce(xor, chain.values(), 0) == hashed(h, blocks)


@pytest.mark.parametrize("k", CHAINS)
def test_a_shorter_queue_does_not_tell_the_weight(k):
    for ahead in range(k):
        weights = {}
        for n in range(1, 3 * k + 2):
            for left in range(1, n + 1):
                weights.setdefault(min(ahead, left - 1), set()).add(plain_rule(k, left))
        assert (max(map(len, weights.values())) == 1) == (ahead == k - 1)


@dataclass
class Step:
    """What enters the multiplier in a cycle: a message, a block of it, and how many are left."""

    message: int
    channel: int
    index: int
    block: int
    left: int


def run_pipeline(messages, hs, k, latency, channels, random):
    """Sums of messages on a multiplier with *latency* registers: state is k words a channel, written as a product leaves.

    Tokens of the channels alternate at random, with gaps; in a channel, a message follows the one before at once. The first
    k blocks of a message take zero instead of the word, so nothing is cleared between messages.
    """
    queues = [deque() for _ in range(channels)]
    for number, blocks in enumerate(messages):
        for i, x in enumerate(blocks):
            queues[number % channels].append(Step(number, number % channels, i, x, len(blocks) - i))
    word, used = {}, [0] * channels
    stages, sums = deque([None] * latency), [0] * len(messages)
    power = [powers(h, k) for h in hs]
    while any(queues) or any(stages):
        if finished := stages.popleft():
            step, place, product = finished
            word[place] = product
            sums[step.message] ^= product if step.left <= k else 0
        ready = [queue for queue in queues if queue]
        if not ready or random.random() < 0.2:
            stages.append(None)
            continue
        step = random.choice(ready).popleft()
        place = step.channel, used[step.channel] % k
        used[step.channel] += 1
        y = word.get(place, 0) if step.index >= k else 0
        stages.append((step, place, gcm.multiply(y ^ step.block, power[step.message][min(k, step.left)])))
    return sums


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("k", CHAINS)
def test_pipeline_of_messages_back_to_back(k, channels):
    """Any latency up to k; another key at each message; a chain goes on where the message before left it."""
    random = Random(10 * k + channels)
    messages = [random_blocks(random, random.choice([1, 1, 2, k, k + 1, random.randrange(1, 4 * k + 2)])) for _ in range(20)]
    hs = [random.getrandbits(128) for _ in messages]
    expected = [hashed(h, blocks) for h, blocks in zip(hs, messages, strict=True)]
    for latency in (1, (k + 1) // 2, k):
        assert run_pipeline(messages, hs, k, latency, channels, random) == expected, latency


@pytest.mark.parametrize("k", [1, 2, 4])
def test_latency_above_k_is_wrong(k):
    random = Random(k)
    messages = [random_blocks(random, 6 * k) for _ in range(4)]
    hs = [random.getrandbits(128) for _ in messages]
    assert run_pipeline(messages, hs, k, k + 1, 1, random) != [hashed(h, blocks) for h, blocks in zip(hs, messages, strict=True)]


def slots_of(ad, text, lengths, lanes):
    """Slots of a message, None where one is empty: text begins with a token; the block of lengths takes the next slot."""
    filled = [*ad, *[None] * (-len(ad) % lanes), *text, lengths]
    return filled + [None] * (-len(filled) % lanes)


def in_slots(h, slots, k, window=0):
    """The hash of the full slots; *window* is how many slots more than k the weight looks at."""
    power, chain, total = powers(h, k + 1), [0] * k, 0
    for p, x in enumerate(slots):
        weight = sum(slot is not None for slot in slots[p : p + k + window])
        chain[p % k] = gcm.multiply(chain[p % k] ^ (x or 0), power[weight])
        total ^= chain[p % k] if p + k >= len(slots) else 0
    return total


@pytest.mark.parametrize(("lanes", "k"), [(1, 3), (2, 2), (2, 6), (4, 4), (4, 8), (4, 12), (8, 8)])
def test_several_blocks_a_cycle(lanes, k):
    """A chain stays in its lane, as lanes divide k.  The weight of an empty slot before the end of a message is never H^0."""
    random = Random(lanes * k)
    for ads in range(2 * k + 1):
        for texts in (0, 1, lanes - 1, lanes, lanes + 1, random.randrange(3 * k)):
            h, blocks = random.getrandbits(128), random_blocks(random, ads + texts + 1)
            slots = slots_of(blocks[:ads], blocks[ads:-1], blocks[-1], lanes)
            assert in_slots(h, slots, k) == hashed(h, blocks), (ads, texts)
            last = max(p for p, slot in enumerate(slots) if slot is not None)
            assert all(any(slot is not None for slot in slots[p : p + k]) for p in range(last + 1))


def test_other_windows_are_wrong():
    random = Random(1)
    for window in (-1, 1):
        h, blocks = random.getrandbits(128), random_blocks(random, 11)
        assert in_slots(h, slots_of(blocks[:5], blocks[5:-1], blocks[-1], 4), 4, window) != hashed(h, blocks)


def test_empty_slots_cannot_be_left_out():
    """If an empty slot is no step of its chain, the exponent is the distance to the next full slot there, and that passes k."""
    slots, k = slots_of([1] * 7, [1] * 8, 1, 4), 4
    ranks = {p: rank for rank, p in enumerate(p for p, slot in enumerate(slots) if slot is not None)}
    followers = {p: [q for q in ranks if q > p and q % k == p % k] for p in ranks}
    assert max(ranks[later[0]] - ranks[p] for p, later in followers.items() if later) == 2 * k - 1
