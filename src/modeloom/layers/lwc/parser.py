# SPDX-License-Identifier: Apache-2.0
"""Takes instructions and segments from PDI: commands, beats and tags for the message control, and records for the writer.

::

    INSTRUCTION ──encrypt, decrypt──▶ HEADER ◀──────┐
      ▲ │ │                             └──▶ DATA ──┴── words of nonce, associated data, text, tag
      │ │ └──activate key──▶ ACTIVATE ──▶ the key of SDI goes into the slot that is not in use
      │ └────another─────▶ FAULT ──▶ record
      └── the segment with Last has ended ──▶ finish: tag, last beat, record, beside the words that follow

A segment must have a type that may come here, and a length that it may have.  Otherwise the message is faulty: its other segments are
skipped up to the one with Last, and the message ends with FAILURE.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.lwc import LENGTH_SEGMENT_BYTES, Opcode
from modeloom.interfaces.messages import MessageCode
from modeloom.layers.lwc.assembler import BeatAssembler
from modeloom.layers.lwc.expected import ExpectedSegment, Phase
from modeloom.layers.lwc.parameters import HeaderGate, LwcParameters, Record, record_layout, swapped
from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.bus import late_layout
from modeloom.rtl.stream.command import command_layout
from modeloom.rtl.stream.packet import packet_layout

__all__ = ["SegmentParser"]


class SegmentParser(BusComponent[LwcParameters]):
    """One word per cycle, except where the message control or the writer is not ready, or a key is not loaded.

    Members
    -------
    pdi : stream of words
    activate : Out(1)
        Asks for the key on SDI.
    slot, key_ready : In(1), In(1)
        The slot of the key that was activated last, and whether it is worked off.  Commands and the next key wait for that.
    cmd, s, late : streams
        For the message control: see :class:`~modeloom.rtl.stream.bus.MessageBus`.
    records : stream of record_layout
        For the writer.
    """

    @staticmethod
    def ports(parameters: LwcParameters) -> dict[str, Any]:
        messages = parameters.messages
        return {
            "pdi": In(stream.Signature(parameters.word_bits)), "activate": Out(1), "slot": In(1), "key_ready": In(1),
            "cmd": Out(stream.Signature(command_layout(messages))),
            "s": Out(stream.Signature(packet_layout(messages))), "late": Out(stream.Signature(late_layout(messages))),
            "records": Out(stream.Signature(record_layout())),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, messages = self.parameters, self.parameters.messages
        m.submodules.gate = gate = HeaderGate(p)
        m.submodules.expected = expected = ExpectedSegment(p)
        m.submodules.assembler = assembler = BeatAssembler(p)
        wiring.connect(m, assembler.o, wiring.flipped(self.s))
        header, word, valid, ready = gate.header, self.pdi.payload, self.pdi.valid, self.pdi.ready

        # -- the segment ------------------------------------------------------------------------------------------------------
        decrypt_reg, fault_reg, issued_reg = (Signal(name=name) for name in ("decrypt_reg", "fault_reg", "issued_reg"))
        phase_reg = Signal(Phase)
        kind_reg = Signal(Phase)
        eot_reg, last_reg = (Signal(name=name) for name in ("eot_reg", "last_reg"))
        left_reg = Signal(p.count_bits)
        tail_reg = Signal(p.offset_bits)
        number_reg = Signal(range(max(2, p.block_words)))
        # -- the message ------------------------------------------------------------------------------------------------------
        nonce_reg = Signal(messages.block_bits)
        tag_reg = Signal(messages.block_bits)
        nonce_bytes_reg = Signal(messages.nbytes_bits)
        lengths_reg = Signal(8 * LENGTH_SEGMENT_BYTES)
        command_reg = Signal()
        # -- its end ----------------------------------------------------------------------------------------------------------
        names = ("finish_reg", "finish_fault_reg", "finish_issued_reg", "finish_decrypt_reg")
        finish_reg, finish_fault_reg, finish_issued_reg, finish_decrypt_reg = (Signal(name=name) for name in names)

        ended, taken, begins = (Signal(name=name) for name in ("ended", "taken", "begins"))
        record = self.records.payload
        data_word = left_reg == 1
        m.d.comb += [
            gate.word.eq(word), expected.header.eq(header), expected.phase.eq(phase_reg), expected.decrypt.eq(decrypt_reg),
            taken.eq(valid & ready),
            self.cmd.valid.eq(command_reg & self.key_ready), *self._command(nonce_reg, nonce_bytes_reg, decrypt_reg, lengths_reg),
            assembler.i.payload.data.eq(swapped(word)), assembler.i.payload.associated.eq(kind_reg == Phase.ASSOCIATED),
            assembler.i.payload.nbytes.eq(Mux(data_word & (tail_reg != 0), tail_reg, p.word_bytes)),
            assembler.i.payload.ends.eq(data_word & eot_reg),
        ]  # fmt: skip
        with m.If(self.cmd.valid & self.cmd.ready):
            m.d.sync += command_reg.eq(0)

        def end(last: Value | Signal) -> None:
            """The end of a segment, which may be that of its message."""
            m.next = "HEADER"
            with m.If(last):
                m.d.comb += ended.eq(1)
                m.next = "INSTRUCTION"

        with m.FSM():
            with m.State("INSTRUCTION"):
                # The command before has its direction from a register.
                m.d.comb += [ready.eq(~command_reg), gate.public.eq(1)]
                with m.If(taken):
                    m.d.sync += [
                        decrypt_reg.eq(header.type == Opcode.DECRYPT), fault_reg.eq(0), issued_reg.eq(0), phase_reg.eq(Phase.START),
                    ]  # fmt: skip
                    with m.Switch(header.type):
                        with m.Case(Opcode.ENCRYPT, Opcode.DECRYPT):
                            m.next = "HEADER"
                        with m.Case(Opcode.HASH):
                            # A message that the core does not have is skipped.
                            m.d.sync += fault_reg.eq(1)
                            m.next = "HEADER"
                        with m.Case(Opcode.ACTIVATE_KEY):
                            m.next = "ACTIVATE"
                        with m.Default():
                            m.next = "FAULT"
            with m.State("ACTIVATE"):
                with m.If(self.key_ready & ~finish_reg & ~command_reg):
                    m.d.comb += self.activate.eq(1)
                    m.next = "INSTRUCTION"
            with m.State("FAULT"):
                m.d.comb += [self.records.valid.eq(~finish_reg), record.kind.eq(Record.FAULT)]
                with m.If(self.records.ready & ~finish_reg):
                    m.next = "INSTRUCTION"
            with m.State("HEADER"):
                right, text = expected.right & ~fault_reg, expected.kind == Phase.TEXT
                m.d.comb += [
                    # A record may be given, and the command before has left its registers.
                    ready.eq(self.records.ready & ~finish_reg & ~command_reg), gate.public.eq(1),
                    self.records.valid.eq(valid & ~finish_reg & ~command_reg & right & text),
                    record.kind.eq(Record.TEXT), record.decrypt.eq(decrypt_reg), record.eot.eq(header.eot), record.length.eq(header.length),
                ]  # fmt: skip
                with m.If(taken):
                    m.d.sync += [
                        kind_reg.eq(expected.kind), eot_reg.eq(header.eot), last_reg.eq(header.last), number_reg.eq(0),
                        tail_reg.eq(header.length[: p.offset_bits]),
                        left_reg.eq(header.length[p.offset_bits :] + header.length[: p.offset_bits].any()),
                    ]  # fmt: skip
                    with m.If(right):
                        m.d.sync += phase_reg.eq(expected.next_phase)
                        with m.If(expected.kind == Phase.NONCE):
                            m.d.sync += nonce_bytes_reg.eq(header.length)
                        with m.If(((expected.kind == Phase.ASSOCIATED) | text) & ~issued_reg):
                            m.d.comb += begins.eq(1)
                            m.d.sync += [command_reg.eq(1), issued_reg.eq(1)]
                    with m.Else():
                        m.d.sync += [fault_reg.eq(1), kind_reg.eq(Phase.START)]
                    with m.If(header.length.any()):
                        m.next = "DATA"
                    with m.Else():
                        m.d.comb += assembler.flush.eq(right & header.eot)
                        end(header.last)
            with m.State("DATA"):
                blocks = (kind_reg == Phase.ASSOCIATED) | (kind_reg == Phase.TEXT)
                m.d.comb += [assembler.i.valid.eq(valid & blocks), ready.eq(~blocks | assembler.i.ready)]
                with m.If(taken):
                    m.d.sync += [left_reg.eq(left_reg - 1), number_reg.eq(number_reg + 1)]
                    with m.If(data_word):
                        end(last_reg)
        self._words(m, taken & (kind_reg == Phase.NONCE) & (left_reg != 0), number_reg, nonce_reg)
        self._words(m, taken & (kind_reg == Phase.TAG) & (left_reg != 0), number_reg, tag_reg)
        if messages.lengths_first:
            with m.If(taken & (kind_reg == Phase.LENGTHS) & (left_reg != 0)):
                # Big-endian, whatever the width of words.
                m.d.sync += lengths_reg.eq(_joined(lengths_reg, word)[: len(lengths_reg)])

        # -- the end of a message, beside the next instruction ----------------------------------------------------------------------
        with m.If(ended):
            m.d.sync += [
                # A message without data may begin and end with the same header.
                finish_reg.eq(1), finish_issued_reg.eq(issued_reg | begins), finish_decrypt_reg.eq(decrypt_reg),
                # A fault in the header that ends the message counts, too.
                finish_fault_reg.eq(fault_reg | (gate.public & ~expected.right)),
            ]  # fmt: skip
        go = self.records.ready & self.late.ready
        with m.If(finish_reg):
            m.d.comb += record.decrypt.eq(finish_decrypt_reg)
            with m.If(finish_issued_reg):
                m.d.comb += [
                    assembler.finish.valid.eq(go), self.late.valid.eq(assembler.finish.ready & self.records.ready),
                    self.records.valid.eq(assembler.finish.ready & self.late.ready), record.kind.eq(Record.END),
                ]  # fmt: skip
                with m.If(go & assembler.finish.ready):
                    m.d.sync += finish_reg.eq(0)
            with m.Else():
                m.d.comb += [self.records.valid.eq(1), record.kind.eq(Record.FAULT)]
                with m.If(self.records.ready):
                    m.d.sync += finish_reg.eq(0)
        m.d.comb += [
            self.late.payload.tag.eq(Mux(finish_decrypt_reg, tag_reg, 0)),
            self.late.payload.code.eq(Mux(finish_fault_reg, MessageCode.BAD_KEEP, MessageCode.OK)),
        ]  # fmt: skip
        return m

    def _words(self, m: Module, write: Value, number: Signal, target: Signal) -> None:
        """Writes a word of a block."""
        width = self.parameters.word_bits
        with m.If(write):
            for at in range(len(target) // width):
                with m.If(number == at):
                    m.d.sync += target.word_select(at, width).eq(swapped(self.pdi.payload))

    def _command(self, nonce: Signal, nonce_bytes: Signal, decrypt: Signal, lengths: Signal) -> list[Any]:
        """The fields of a command."""
        p, command, half = self.parameters, self.cmd.payload, 4 * LENGTH_SEGMENT_BYTES
        known = [command.associated.eq(lengths[half:]), command.text.eq(lengths[:half])] if p.messages.lengths_first else []
        return [
            command.nonce.eq(nonce), command.nonce_bytes.eq(nonce_bytes), command.tag_bytes.eq(Const(p.tag_bytes, 8)),
            command.decrypt.eq(decrypt), command.slot.eq(self.slot), *known,
        ]  # fmt: skip


def _joined(before: Signal, word: Value) -> Value:
    """The bits that came before, with those of a word behind them, of which the upper ones are the first."""
    if len(word) <= len(before):
        return Cat(word, before[: len(before) - len(word)])
    return word[len(word) - len(before) :]
