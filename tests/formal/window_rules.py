# SPDX-License-Identifier: Apache-2.0
"""Rules of the window of cores with several channels: tokens of a channel leave once, unchanged and in order.

Two tokens of a context are followed, ``a`` and then ``b``.  The place of ``a`` in the store is the constant ``place``::

    put ──▶ WAITING at k ──▶ QUEUED at q, k ──▶ WORK at k ──▶ OUT ──▶ DONE
            word of context   releases           work_reg     o

``pooled`` and ``released`` count how often ``place`` is in the queues of the pool and of releases, and ``queued`` counts the tokens of all
releases.  They change as the sums over the words of these queues do: ``queues_change_by_a_word`` says that one word comes and one leaves.
"""

from __future__ import annotations

from tests.formal.bits import WIDE, Bits, all_of, any_of, constant, total
from tests.formal.follow import Followed, select

from modeloom.rtl.stream.parameters import STORE_SLACK
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["ASSUMED", "INVARIANTS", "RULES", "Window"]

IDLE, WAITING, QUEUED, WORK, OUT, DONE = range(6)
"""Where a token is."""


def _bits(count: int) -> int:
    return max(1, (count - 1).bit_length())


class Window(Followed):
    """Names for what a state of the window holds."""

    variables = {
        **{f"{who}_{what}": width for who in "ab" for what, width in {
            "where": lambda p: 3, "k": lambda p: p.window.bit_length(), "q": lambda p: _bits(2 * p.token_store),
        }.items()},
        "payload": lambda p: p.token.size, "open": lambda p: 1, "current": lambda p: _bits(p.message_store),
        "pooled": lambda p: WIDE, "released": lambda p: WIDE, "queued": lambda p: WIDE,
    }  # fmt: skip
    constants = {
        "place": lambda p: _bits(p.token_store), "context": lambda p: p.context_bits, "pointer": lambda p: _bits(2 * p.token_store),
    }  # fmt: skip
    chosen = ("choose_a", "choose_b")

    def __init__(self, *of):
        super().__init__(*of)
        p = self.p
        self.one = _bits(p.token_store) + p.lanes.bit_length() + 1
        self.pool = self.queue("pool.queue", p.token_store)
        self.releases = self.queue("releases", p.token_store)
        self.kept = self["waiting_rdata_0"]
        self.put, self.taken = self["put_reg"], self["taken_reg"]
        self.work, self.work_valid = self["work_reg"], self["work_valid_reg"]
        self.free_place = self.first("pool_o_payload", "pool.o_payload")
        self.out, self.out_valid = self["o_payload"], self["valid_reg"]
        self.full = p.window - 1

    # -- records --------------------------------------------------------------------------------------------------------------

    def of_token(self, token: Bits, name: str) -> Bits:
        """A field of a token."""
        field = self.p.token[name]
        return token[field.offset : field.offset + field.width]

    def is_end(self, token: Bits) -> Bits:
        """Whether a token ends its message."""
        return self.of_token(token, "step").equals(TokenStep.TAG) | self.of_token(token, "tag")

    def count(self, waiting: Bits) -> Bits:
        """Of the word of a context: how many tokens wait."""
        return waiting[: _bits(self.p.window)]

    def waits_at(self, waiting: Bits, k: int) -> Bits:
        """The place of one of them."""
        return self._place(waiting, _bits(self.p.window) + k * self.one)

    def number(self, release: Bits) -> Bits:
        """Of a release: how many tokens it has."""
        start = _bits(self.p.message_store) + 1
        return release[start : start + self.p.window.bit_length()]

    def message(self, release: Bits) -> Bits:
        """The message of a release."""
        return release[: _bits(self.p.message_store)]

    def goes_at(self, release: Bits, k: int) -> Bits:
        """The place of one of its tokens."""
        return self._place(release, _bits(self.p.message_store) + 1 + self.p.window.bit_length() + k * self.one)

    def _place(self, record: Bits, start: int) -> Bits:
        return record[start : start + _bits(self.p.token_store)]

    def at(self, record: Bits, k: Bits, release: bool) -> Bits:
        """The place of token k."""
        take = self.goes_at if release else self.waits_at
        places = range(self.p.window if release else self.full)
        return select([(k.equals(n), take(record, n)) for n in places], constant(0, _bits(self.p.token_store)))

    def times(self, release: Bits) -> Bits:
        """How often ``place`` is among the tokens of a release."""
        number = self.number(release)
        return total((number > n) & self.goes_at(release, n).equals(self["place"]) for n in range(self.p.window))

    def waiting(self, context: int | Bits) -> Bits:
        """The word of a context."""
        at = constant(context, self.p.context_bits) if isinstance(context, int) else context
        return self.word("waiting.words", at)

    # -- what moves -----------------------------------------------------------------------------------------------------------

    @property
    def mine(self) -> Bits:
        """A token of the context in question is put."""
        return self.put & self.of_token(self.taken, "context").equals(self["context"])

    @property
    def moves(self) -> Bits:
        """The token at the output leaves, or there is none."""
        return ~self.out_valid | self["o_ready"]

    def follow(self, t: Window) -> dict[str, Bits]:
        s, values = self, {}
        end, count = s.is_end(s.taken), s.count(s.kept)
        releases = s.mine & (end | count.equals(s.full))
        popped = t.releases.get.differs(s.releases.get)
        chosen = {
            "a": s["choose_a"] & s.free_place.equals(s["place"]),
            "b": s["choose_b"] & s["a_where"].differs(IDLE),
        }  # fmt: skip
        for who in "ab":
            where, k, q = s[f"{who}_where"], s[f"{who}_k"], s[f"{who}_q"]
            number = lambda value, like=where: constant(value, like.width)  # noqa: E731
            comes = where.equals(IDLE) & s.mine & chosen[who]
            wide_count = count.extend(k.width)
            goes = where.equals(WAITING) & releases & (end | k.equals(0))
            steps = where.equals(WORK) & s.moves
            values[f"{who}_where"] = select(
                [
                    (comes, end.choose(number(QUEUED), number(WAITING))), (goes, number(QUEUED)),
                    (where.equals(QUEUED) & popped & q.equals(s.releases.get), number(WORK)), (steps & k.equals(0), number(OUT)),
                    (where.equals(OUT) & s["o_ready"], number(DONE)),
                ],
                where,
            )  # fmt: skip
            values[f"{who}_k"] = select(
                [
                    (comes, (~end & count.equals(s.full)).choose(wide_count - 1, wide_count)),
                    (where.equals(WAITING) & releases & ~end & k.differs(0), k - 1), (steps & k.differs(0), k - 1),
                ],
                k,
            )  # fmt: skip
            values[f"{who}_q"] = (comes | goes).choose(s.releases.put, q)
            if who == "a":
                values["payload"] = comes.choose(s.taken, s["payload"])
        values["open"] = s.mine.choose(~end, s["open"])
        values["current"] = s.mine.choose(s.of_token(s.taken, "message"), s["current"])
        freed = t.pool.put.differs(s.pool.put) & s.goes_at(s.work, 0).equals(s["place"])
        reused = t.pool.get.differs(s.pool.get) & s.pool.head.equals(s["place"])
        values["pooled"] = s["pooled"] + freed.wide - reused.wide
        come, none = t.releases.put.differs(s.releases.put), constant(0, WIDE)
        made = s["made"]
        values["released"] = s["released"] + come.choose(s.times(made), none) - popped.choose(s.times(s.releases.head), none)
        values["queued"] = s["queued"] + come.choose(s.number(made).wide, none) - popped.choose(s.number(s.releases.head).wide, none)
        return values


# -- what is assumed ---------------------------------------------------------------------------------------------------------------


def undisturbed(s: Window) -> Bits:
    """No reset and no erasure; contexts are those that there are, and the tokens of a context up to an end are those of one message.

    The intake promises both (``front_rules``).
    """
    fits = s.of_token(s["i_payload"], "context").wide < s.p.contexts
    one = (s.mine & s["open"]).implies(s.of_token(s.taken, "message").equals(s["current"]))
    return all_of([~s["rst"], ~s["erase"], s["i_valid"].implies(fits), s["context"].wide < s.p.contexts, one])


def sums(s: Window) -> Bits:
    """What is true of sums over the words of a queue, none of which is less than some of its parts, and of all words that were put."""
    head = s.releases.valid.choose(s.times(s.releases.head), constant(0, WIDE))
    there = s["a_where"].equals(QUEUED)
    mine = (there & (s["a_q"].differs(s.releases.get) | ~s.releases.valid)).choose(
        s.times(s.releases.word(s["a_q"])), constant(0, WIDE)
    )
    number = s.number(s.releases.head).wide
    return all_of([
        s.releases.valid.implies((number > 0) & (number <= s.p.window)),
        s["pooled"] <= s.pool.level, (s.pool.valid & s.pool.head.equals(s["place"])).implies(s["pooled"] > 0),
        s["released"] >= head + mine, s["released"] <= s["queued"], s["queued"] < 1 << WIDE - 2,
        s["queued"] >= s.releases.level, s.releases.valid.implies(s["queued"] + 1 >= number + s.releases.level),
        s["released"] < 1 << WIDE - 2,
    ])  # fmt: skip


ASSUMED = (undisturbed, sums)


# -- invariants --------------------------------------------------------------------------------------------------------------------


def queues_are_sound(s: Window) -> Bits:
    """Both queues, and nothing is erased."""
    return all_of([s.pool.sound, s.releases.sound, ~s["store.erase_reg"], ~s["waiting.words.erase_reg"]])


def queues_answer(s: Window) -> Bits:
    """A queue with two payloads gives one, and one that takes nothing is full, or nearly so; but for the cycle after a reset."""
    unused = s["used_reg"].equals(0) & ~s.put & ~s.work_valid
    return all_of([
        (s.pool.level > 1).implies(s.pool.valid), (~s.pool.ready).implies((s.pool.level > s.p.token_store - 2) | unused),
        (~s.releases.ready).implies((s.releases.level > s.p.token_store - 2) | unused),
    ])  # fmt: skip


def words_are_read(s: Window) -> Bits:
    """A token that is put finds the word of its context as it is, and no context has more tokens than may wait."""
    context = s.of_token(s.taken, "context")
    counts = (s.count(s.waiting(n)) <= s.full for n in range(s.p.contexts))
    return all_of([s.put.implies(s.kept.equals(s.waiting(context)) & (context.wide < s.p.contexts)), *counts])


def _used(s: Window) -> Bits:
    """Tokens in the store."""
    return total([*(s.count(s.waiting(n)) for n in range(s.p.contexts)), s["queued"], _in_work(s)])


def _in_work(s: Window) -> Bits:
    return s.work_valid.choose(s.number(s.work).wide, constant(0, WIDE))


def tokens_are_counted(s: Window) -> Bits:
    """``used_reg`` is the number of tokens in the store, and a release that is worked on has some."""
    number = s.number(s.work).wide
    return s["used_reg"].wide.equals(_used(s)) & s.work_valid.implies((number > 0) & (number <= s.p.window))


def places_are_counted(s: Window) -> Bits:
    """Free places and used ones are all that there are, so a token that is put finds a free one."""
    depth, used, unused = s.p.token_store, s["used_reg"].wide, s["pool.unused_reg"].wide
    ready, there = s["i_ready"], s["pool.valid_reg"]
    most, none = depth - STORE_SLACK // 2, used.equals(0) & ~s.put & ~ready & unused.equals(0) & s.pool.level.equals(0)
    return all_of([
        unused <= depth, total([constant(depth, WIDE) - unused, s.pool.level, there, used]).equals(depth),
        ready.implies(used <= most), s.put.implies(used <= most + 1), used <= most + 2,
        (~there).implies(none | unused.equals(depth) & (s.pool.level <= 2)),
    ])  # fmt: skip


def places_are_in_one_hand(s: Window) -> Bits:
    """Any place is once among the free ones and those of tokens."""
    p, place = s.p, s["place"]
    unused = s["pool.unused_reg"].wide <= place.wide
    free = s["pool.valid_reg"] & s.free_place.equals(place)
    waiting = []
    for context in range(p.contexts):
        word = s.waiting(context)
        waiting += [(s.count(word) > k) & s.waits_at(word, k).equals(place) for k in range(s.full)]
    work = s.work_valid.choose(s.times(s.work), constant(0, WIDE))
    return total([unused, s["pooled"], free, *waiting, s["released"], work]).equals(1)


def _located(s: Window, who: str) -> Bits:
    """Where a token is said to be there is one."""
    where, k, q = s[f"{who}_where"], s[f"{who}_k"], s[f"{who}_q"]
    word = s.releases.word(q)
    return all_of([
        where <= DONE, where.equals(WAITING).implies(k.wide < s.count(s.waiting(s["context"])).wide),
        where.equals(QUEUED).implies(s.releases.holds(q) & (k < s.number(word)) & (s.number(word) <= s.p.window)),
        where.equals(WORK).implies(s.work_valid & (k < s.number(s.work))), where.equals(OUT).implies(s.out_valid),
    ])  # fmt: skip


def tokens_are_somewhere(s: Window) -> Bits:
    """Both tokens are where they are said to be, and the first one is what it was when it came."""
    where, k = s["a_where"], s["a_k"]
    places = [
        (WAITING, s.at(s.waiting(s["context"]), k, False)), (QUEUED, s.at(s.releases.word(s["a_q"]), k, True)),
        (WORK, s.at(s.work, k, True)),
    ]  # fmt: skip
    rules = [_located(s, "a"), _located(s, "b"), s["a_where"].equals(IDLE).implies(s["b_where"].equals(IDLE))]
    for there, place in places:
        stored = s.word("store", s["place"]).equals(s["payload"])
        rules.append(where.equals(there).implies(place.equals(s["place"]) & stored))
    token = s.p.weighted["token"]
    rules.append(where.equals(OUT).implies(s.out[token.offset : token.offset + token.width].equals(s["payload"])))
    return all_of(rules)


def messages_go_with_tokens(s: Window) -> Bits:
    """A release is of the message of its tokens; tokens that wait are of the message under way."""
    waits = s.count(s.waiting(s["context"])).some() & (s["context"].wide < s.p.contexts)
    where, mine = s["a_where"], s.of_token(s["payload"], "message")
    return all_of([
        waits.implies(s["open"]), where.equals(WAITING).implies(mine.equals(s["current"])),
        where.equals(QUEUED).implies(s.message(s.releases.word(s["a_q"])).equals(mine)),
        where.equals(WORK).implies(s.message(s.work).equals(mine)),
    ])  # fmt: skip


def second_is_behind(s: Window) -> Bits:
    """The second token is behind the first one."""
    a, b, k, later = s["a_where"], s["b_where"], s["a_k"], s["b_k"]
    from_get = [(s[f"{who}_q"] - s.releases.get).wide for who in "ab"]
    behind = select(
        [(a.equals(QUEUED), (from_get[0] < from_get[1]) | from_get[0].equals(from_get[1]) & (k < later))], (k < later) & a.differs(OUT)
    )
    return b.differs(IDLE).implies((a > b) | a.equals(b) & behind | a.equals(DONE))


INVARIANTS = (
    queues_are_sound, queues_answer, words_are_read, tokens_are_counted, places_are_counted, places_are_in_one_hand, tokens_are_somewhere,
    messages_go_with_tokens, second_is_behind,
)  # fmt: skip


# -- rules -------------------------------------------------------------------------------------------------------------------------


def tokens_are_taken(s: Window, t: Window) -> Bits:
    """What the window takes it puts in the next cycle, unchanged."""
    taken = s["i_valid"] & s["i_ready"]
    return t.put.equals(taken) & taken.implies(t.taken.equals(s["i_payload"]))


def places_suffice(s: Window, t: Window) -> Bits:
    """A token that is put finds a free place, and a release and a place that is free again find theirs in the queues."""
    freed, released = s["freed"], s["releases_i_valid"]
    return all_of([s.put.implies(s["pool.valid_reg"]), freed.implies(s.pool.ready), released.implies(s.releases.ready)])


def queues_change_by_a_word(s: Window, t: Window) -> Bits:
    """In both queues; and each release has 1 to ``window`` tokens."""
    at, number = s["pointer"], s.number(s["made"])
    some = s["releases_i_valid"].implies((number > 0) & (number.wide <= s.p.window))
    return all_of([s.pool.changes_by_a_word(t.pool, at), s.releases.changes_by_a_word(t.releases, at), some])


def tokens_leave_once(s: Window, t: Window) -> Bits:
    """There are as many tokens in the window as came and did not leave."""
    left = s.out_valid & s["o_ready"]
    before, after = (total([one["used_reg"], one.out_valid]) for one in (s, t))
    return (after + left.wide).equals(before + s.put.wide)


def tokens_leave_unchanged(s: Window, t: Window) -> Bits:
    """A token of a channel leaves as it came, with the place of its message, and behind those of its channel that came before it."""
    token = s.p.weighted["token"]
    out = s.out[token.offset : token.offset + token.width]
    leaves = s["a_where"].equals(OUT)
    same = leaves.implies(s.out_valid & out.equals(s["payload"]))
    with_message = (s["a_where"].equals(WORK) & s["a_k"].equals(0)).implies(
        s["message"].equals(s.of_token(s["payload"], "message"))
    )
    in_order = any_of([s["b_where"].equals(OUT), s["b_where"].equals(DONE)]).implies(s["a_where"].equals(DONE))
    return all_of([same, with_message, in_order])


def output_stays(s: Window, t: Window) -> Bits:
    """A token that waits for the entry stays as it is."""
    waits = s.out_valid & ~s["o_ready"]
    return waits.implies(t.out_valid & t.out.equals(s.out))


RULES = (tokens_are_taken, places_suffice, queues_change_by_a_word, tokens_leave_once, tokens_leave_unchanged, output_stays)


def seen(s: Window) -> list[Bits]:
    """States that are possible: the invariants and what is assumed contradict nothing."""
    both = [s["a_where"].equals(one) & s["b_where"].equals(other) for one, other in ((OUT, WAITING), (WORK, QUEUED), (QUEUED, QUEUED))]
    return [*(one & s.mine for one in both), s["a_where"].equals(WAITING) & s["b_where"].equals(WAITING) & s["place"].equals(5)]
