# SPDX-License-Identifier: Apache-2.0
"""What a command says of a message goes to its status unchanged, and what the entry says of a beat of text goes to the bus: in order.

Each rule is about one step of the way.  Queues and slices keep what they take, in order, and registers hand it on::

    command ─▶ taken ─▶ checked ─▶ messages ─▶ entry ─▶ verdict ─▶ expected ─▶ compared, summed, decided ─▶ statuses ─▶ out
                                                └─▶ beat, flags ─▶ texts.queue ─▶ out

So the n-th verdict of the entry is that of the n-th status that is told, with its number and its channel.  The pipeline gives the tag as
many cycles after its token for every message, and verdicts wait in a queue: the n-th tag meets the n-th verdict.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, concat, constant
from tests.formal.follow import Followed

from modeloom.interfaces.messages import MessageCode
from modeloom.rtl.stream.command import command_layout, order_layout
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.rtl.stream.verdicts import status_layout
from modeloom.rtl.stream.wire import OnWire

__all__ = ["ASSUMED", "INVARIANTS", "RULES", "Passage", "seen"]

KEPT = ("id", "tag_bytes", "decrypt")
"""What a verdict has of its message; with several channels the channel and the slot, too."""


class Passage(Followed):
    """Names for what stands between the command and the status, and between the entry and the bus of text."""

    constants = {"pointer": lambda p: 8}

    def __init__(self, *of):
        super().__init__(*of)
        p = self.p
        depths = {"texts.queue": p.text_depth, "verdicts.expected": p.tag_depth, "verdicts.statuses": p.tag_depth}
        if p.channels == 1:
            depths["messages"] = p.token_depth
        if self.apart:
            depths["verdicts.tags"] = p.tag_depth
        self.queues = {name: self.queue(name, depth) for name, depth in depths.items()}

    @property
    def several(self) -> bool:
        """Whether there are several channels."""
        return self.p.channels > 1

    @property
    def apart(self) -> bool:
        """Whether tags and numbers wait for their verdicts in a queue of their own, as in cores with a cadence."""
        return self.p.plan.cadence is not None

    def field(self, layout, value: Bits, name: str) -> Bits:
        """A field of a record."""
        field = layout[name]
        return value[field.offset : field.offset + field.width]

    def comes(self, name: str) -> Bits:
        """The payload that a slice takes.  That of the intake takes zeros for the bytes of a beat that are not there.

        In a memory, it takes the beat as it is.
        """
        given = self[f"{name}.i_payload"]
        if name != "intake.slice" or self.apart:
            return given
        layout = packet_layout(self.p)
        data, keep = layout["data"], self.field(layout, given, "keep")
        nbytes = [given[at : at + 8] for at in range(data.offset, data.offset + data.width, 8)]
        shown = [keep[number].choose(byte, constant(0, 8)) for number, byte in enumerate(nbytes)]
        return concat([*([given[: data.offset]] if data.offset else []), *shown, given[data.offset + data.width :]])

    @property
    def slices(self) -> tuple[str, ...]:
        """The register slices on the way."""
        return ("command.checked", "verdicts.out", "texts.out", "front.intake.slice" if self.several else "intake.slice")

    def last_flags(self) -> Bits:
        """Flags of the beat whose text the pipeline gives."""
        return self.first("texts.flags.o", "texts.flags_o")


def undisturbed(s: Passage) -> Bits:
    """No reset and no erasure."""
    return ~s["rst"] & ~s["erase"]


ASSUMED = (undisturbed,)


def queues_are_sound(s: Passage) -> Bits:
    """No queue has more than its depth, and each gives the oldest that it has."""
    return all_of(queue.sound for queue in s.queues.values())


def slices_are_filled_in_order(s: Passage) -> Bits:
    """The second place of a slice is used only if the first one is."""
    return all_of(s.slice(name)[1][0].implies(s.slice(name)[0][0]) for name in s.slices)


def contexts_exist(s: Passage) -> Bits:
    """Beats are of contexts that there are, and so are tags that wait for their turn."""
    if not s.several:
        return constant(1, 1)
    # The context is the lowest field of what is kept for the tag.
    tag = s["front.intake.tag_reg"][: s.p.context_bits].wide < s.p.contexts
    return (s["front.intake.context_reg"].wide < s.p.contexts) & s["front.intake.ended_reg"].implies(tag)


INVARIANTS = (queues_are_sound, slices_are_filled_in_order, contexts_exist)


def queues_pass_on(s: Passage, t: Passage) -> Bits:
    """One word comes into a queue and one leaves; the others stay."""
    return all_of(queue.changes_by_a_word(t.queues[name], s["pointer"][: queue.put.width]) for name, queue in s.queues.items())


def slices_pass_on(s: Passage, t: Passage) -> Bits:
    """The older payload of a slice leaves, or stays; a new one is behind it."""
    rules = []
    for name in s.slices:
        (old, first), (two, second) = s.slice(name)
        (after, head), (more, tail) = t.slice(name)
        puts, gets = s[f"{name}.put"], s[f"{name}.get"]
        new = s.comes(name)
        kept, moved = old & ~gets, two & gets
        rules += [
            gets.implies(old), puts.implies(~two), kept.implies(after & head.equals(first)), moved.implies(after & head.equals(second)),
            (two & ~gets).implies(more & tail.equals(second)), (puts & kept).implies(more & tail.equals(new)),
            (puts & ~kept).implies(after & head.equals(new) & ~more), (~puts & ~kept & ~moved).implies(~after),
            (~puts & ~two).implies(~more), (two & gets).implies(~more),
        ]  # fmt: skip
    return all_of(rules)


def commands_pass_on(s: Passage, t: Passage) -> Bits:
    """The number of a command, its direction and its channel are those of the message that comes of it."""
    p = s.p
    command = s["command.taken_o_payload"]
    order, layout = order_layout(p), command_layout(p)
    made = s["command.made"]
    message = s.field(order, made, "message")
    takes = s["command.taken.i_valid"] & s["command.taken.i_ready"]
    waits = s["command.taken.o_valid"] & ~s["command.taken.o_ready"]
    given, taken = s["command.taken.i_payload"], t["command.taken_o_payload"]
    rules = [
        s["command.checked.i_payload"][: order.size].equals(made),
        s["command.checked.put"].equals(s["command.taken.o_valid"] & s["command.taken.o_ready"]),
        (takes | waits).implies(t["command.taken.o_valid"]), waits.implies(t["command.taken_o_payload"].equals(command)),
    ]  # fmt: skip
    for name in (*KEPT, *(("channel",) if s.several else ())):
        rules.append(takes.implies(s.field(layout, taken, name).equals(s.field(layout, given, name))))
        mine, said = s.field(p.message, message, name), s.field(layout, command, name)
        # In a mode with two passes, the second pass of a message to seal compares a tag, too.
        rules.append(mine.equals(said.some() if name == "decrypt" else said[: mine.width]))
    if p.two_passes:
        rules.append(s.field(p.message, message, "second").equals(s.field(layout, command, "decrypt")[1]))
    return all_of(rules)


def verdicts_pass_on(s: Passage, t: Passage) -> Bits:
    """The verdict of the entry is about its message, and comes unchanged to the queue of statuses; a code is what it was, or WRONG_TAG."""
    p = s.p
    kept = (*KEPT, *(("channel", "slot") if s.several else ()))
    message, verdict = s["entry.message_payload"], t["entry_verdict"]
    rules = [s["entry.message_ready"].implies(t["entry_verdict_valid"])]
    rules += [
        t["entry_verdict_valid"].implies(s.field(p.verdict, verdict, name).equals(s.field(p.message, message, name))) for name in kept
    ]  # fmt: skip
    entered = s["entry_verdict_valid"]
    expected = s.queues["verdicts.expected"]
    put = s.first("verdicts.expected.i_payload", "verdicts.expected.memory.wdata")
    there, want = s["verdicts.tag_valid_reg"], expected.head
    rules += [
        s["verdicts.expected.i_valid"].equals(entered), t["verdicts.compared_reg"].equals(there), t["verdicts.wanted_reg"].equals(want),
    ]  # fmt: skip
    for name in p.verdict:
        name = name[0]
        # The tag of a message on the wire, or of one that comes as segments, is behind its text.
        if name not in (*("tag", "code") * p.late_tag, *("packet",) * (p.form == OnWire())):
            rules.append(s.field(p.verdict, put, name).equals(s.field(p.verdict, s["entry_verdict"], name)))
    steps = (("compared", "summed", "wanted", "sums"), ("summed", "decided", "sums", "decision"))
    for was, then, of, to in steps:
        rules += [t[f"verdicts.{then}_reg"].equals(s[f"verdicts.{was}_reg"]), t[f"verdicts.{to}_reg"].equals(s[f"verdicts.{of}_reg"])]
    decision, empty = s["verdicts.decision_reg"], s.field(p.verdict, s["verdicts.decision_reg"], "empty")
    told, code = s["verdicts.statuses.i_payload"], s.field(p.verdict, s["verdicts.decision_reg"], "code")
    code_at = 0 if s.apart else p.block_bits + 16
    given = told[code_at : code_at + code.width]
    wrong = constant(MessageCode.WRONG_TAG, code.width)
    rules += [
        s["verdicts.statuses.i_valid"].equals(s["verdicts.decided_reg"] & ~empty),
        (given.equals(code) | code.equals(0) & given.equals(wrong)),
    ]  # fmt: skip
    if s.apart:
        waiting, wanted = s["verdicts.tags.i_payload"], s["verdicts.wanted_reg"]
        rules += [
            s["verdicts.tags.i_valid"].equals(s["verdicts.compared_reg"] & ~s.field(p.verdict, wanted, "empty")),
            waiting[p.block_bits : p.block_bits + 16].equals(s.field(p.verdict, wanted, "id")),
        ]  # fmt: skip
    else:
        rules.append(told[p.block_bits : p.block_bits + 16].equals(s.field(p.verdict, decision, "id")))
    if s.several:
        start = p.block_bits + 16 + code.width + 1
        rules.append(told[start : start + 8].equals(s.field(p.verdict, decision, "channel")))
    return all_of(rules)


def statuses_are_told(s: Passage, t: Passage) -> Bits:
    """What the host gets of a status is the oldest one in the queue, as it is; it leaves the queue when it is told."""
    p, head, layout = s.p, s.queues["verdicts.statuses"].head, status_layout(s.p)
    code_bits = p.verdict["code"].width
    told = s["verdicts.status_may_leave"]
    given = s["verdicts.out.i_payload"]
    id_at, code_at = p.block_bits, 0 if s.apart else p.block_bits + 16
    about = s.queues["verdicts.tags"].head if s.apart else head
    parts = {"tag": about[: p.block_bits], "id": about[id_at : id_at + 16], "code": head[code_at : code_at + code_bits]}
    if s.several:
        start = p.block_bits + 16 + code_bits + 1
        parts["channel"] = head[start : start + 8]
    rules = [told.implies(s.field(layout, given, name)[: part.width].equals(part)) for name, part in parts.items()]
    popped = s["verdicts.statuses.get_reg"].differs(t["verdicts.statuses.get_reg"])
    if s.apart:
        # ``tags_and_codes_pair`` says that there is a tag for each code.
        both = s.queues["verdicts.statuses"].valid & s.queues["verdicts.tags"].valid
        rules.append((both & popped).implies(s["verdicts.tags.get_reg"].differs(t["verdicts.tags.get_reg"])))
    return all_of([*rules, popped.equals(s["verdicts.out.put"]), s["verdicts.out.put"].implies(told)])


def text_passes_on(s: Passage, t: Passage) -> Bits:
    """A beat of text keeps its length, its marks and its channel; the host gets it as the pipeline gave it, zero outside its bytes."""
    p, size = s.p, s.p.beat_bytes
    last = p.text_stage - 1
    flags = [s["entry_bytes"], s["entry_last"], s["entry_cut"]]
    if s.several:
        flags.append(s["entry_channel"])
    line, at = s["texts.flags_i"], 0
    rules = [t["texts.beat_0_reg"].equals(s["entry_beat"])]
    for flag in flags:
        rules.append(line[at : at + flag.width].equals(flag))
        at += flag.width
    rules += [t[f"texts.beat_{n + 1}_reg"].equals(s[f"texts.beat_{n}_reg"]) for n in range(last)]
    names = [("texts.flags_i",), *((f"texts.flags.stage_{n}_reg", "texts.flags_o") for n in range(p.text_stage))]
    rules += [t.first(*after).equals(s.first(*before)) for before, after in zip(names, names[1:], strict=False)]
    queue, put = s.queues["texts.queue"], s["texts.queue.i_payload"]
    comes = s[f"texts.beat_{last}_reg"]
    rules += [s["texts.queue.i_valid"].equals(comes), comes.implies(put[8 * size :].equals(s.last_flags()))]
    for lane in range(p.lanes):
        rules.append(put[lane * p.block_bits : (lane + 1) * p.block_bits].equals(s[f"texts.text_{lane}"]))
    if p.hold is not None:
        return all_of(rules)
    nbytes_bits = p.beat_nbytes_bits
    head, given = queue.head, s["texts.out.i_payload"]
    nbytes = head[8 * size : 8 * size + nbytes_bits]
    offered = s["texts.out.i_valid"]
    # For packets on the wire, parts that join them stand between this output and the host.
    (there, out), shown = s.slice("texts.out")[0], s.first("texts_m_payload", "texts.m_payload", "m_payload")
    for at in range(size):
        byte = slice(8 * at, 8 * at + 8)
        rules.append(offered.implies(given[8 * size + at].equals(nbytes > at) & given[byte].equals(head[byte])))
        kept = there & out[8 * size + at]
        rules.append(shown[8 * size + at].equals(kept) & shown[byte].equals(kept.choose(out[byte], constant(0, 8))))
    marks = 8 * size + nbytes_bits
    rules.append(offered.implies(given[9 * size].equals(head[marks])))
    if s.several:
        channel = head[marks + 2 : marks + 10]
        rules.append(offered.implies(given[9 * size + 1 : 9 * size + 9].equals(channel)))
    popped = s["texts.queue.get_reg"].differs(t["texts.queue.get_reg"])
    return all_of([*rules, popped.equals(s["texts.out.put"]), s["texts.out.put"].implies(queue.valid)])


def text_has_the_channel_of_its_message(s: Passage, t: Passage) -> Bits:
    """A beat of text comes of a token of text, and has the channel of the message that the entry has then.

    The first pass of a message to seal gives no text.
    """
    token = s.p.token
    step = s["entry.token_payload"][token["step"].offset : token["step"].offset + 2]
    came = t["entry_beat"]
    rules = [came.implies(s["entry.token_valid"] & s["entry_token_ready"] & step.equals(TokenStep.TEXT))]
    if s.p.two_passes:
        rules.append(came.implies(s.field(s.p.message, s["entry.message_payload"], "decrypt")))
    if s.several:
        rules.append(came.implies(t["entry_channel"].equals(s.field(s.p.message, s["entry.message_payload"], "channel"))))
    return all_of(rules)


def tokens_are_whole(s: Passage, t: Passage) -> Bits:
    """With several channels: nothing but a last beat of text is partial, a tag is alone or behind the last block, and contexts exist."""
    if not s.several:
        return constant(1, 1)
    p, token = s.p, s["front.intake.token_payload"]
    step, shared = s.field(p.token, token, "step"), s.field(p.token, token, "tag")
    text, last = step.equals(TokenStep.TEXT), s.field(p.token, token, "last")
    rules = all_of([
        step.differs(3), (text & ~last).implies(s.field(p.token, token, "nbytes").equals(p.beat_bytes)),
        shared.implies(constant(int(p.plan.shares_tag), 1) & step.differs(TokenStep.TAG)),
        shared.implies(s.field(p.token, token, "full").wide < p.lanes),
        (text & shared).implies(last), s.field(p.token, token, "context").wide < p.contexts,
    ])  # fmt: skip
    return s["front.intake.token_valid"].implies(rules)


def messages_end_with_their_tokens(s: Passage, t: Passage) -> Bits:
    """The entry lets a message go together with the token that ends it, and no token without a message."""
    token = s["entry.token_payload"]
    ends = s.field(s.p.token, token, "step").equals(TokenStep.TAG) | s.field(s.p.token, token, "tag")
    gone, taken = s["entry.message_ready"], s["entry_token_ready"] & s["entry.token_valid"]
    return gone.equals(taken & ends) & taken.implies(s["entry.has_token"])


RULES = (
    queues_pass_on, slices_pass_on, commands_pass_on, verdicts_pass_on, statuses_are_told, text_passes_on,
    text_has_the_channel_of_its_message, messages_end_with_their_tokens, tokens_are_whole,
)  # fmt: skip


def seen(s: Passage) -> list[Bits]:
    """States that are possible."""
    return [s["status_valid"] & ~s["status_ready"] & s["entry_verdict_valid"] & s["entry_beat"] & s["verdicts.out.full_reg"]]
