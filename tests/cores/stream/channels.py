# SPDX-License-Identifier: Apache-2.0
"""A host of the tests' own for cores with several channels: it interleaves the beats of packets, and takes statuses and text apart."""

from __future__ import annotations

from tests.cores.stream.host import Got, Host

from modeloom.interfaces.messages import message_command, pack_message_command, status_channel, unpack_message_status

__all__ = ["ChannelHost", "alternating", "check_channels", "shuffled"]


def alternating(beats):
    """Another channel in every beat, as long as several channels have some: the order of the channels."""
    left = {channel: len(each) for channel, each in beats.items()}
    while any(left.values()):
        for channel in left:
            if left[channel]:
                left[channel] -= 1
                yield channel


def shuffled(rng, longest=4):
    """Runs of up to so many beats of channels that are drawn."""

    def order(beats):
        left = {channel: len(each) for channel, each in beats.items() if each}
        while left:
            channel = rng.choice(list(left))
            for _ in range(min(left[channel], rng.randint(1, longest))):
                left[channel] -= 1
                yield channel
            if not left[channel]:
                del left[channel]

    return order


class ChannelHost(Host):
    """A core with several channels in simulation."""

    def send(self, messages, order=alternating):
        """Queues messages, given as lists by channel; ``order`` says whose beat is next.  Commands are in the order of first beats."""
        packets = {
            channel: [self.beats_of(sent) if sent.beats is None else sent.beats for sent in each] for channel, each in messages.items()
        }
        queues = {channel: [(number, beat) for number, beats in enumerate(each) for beat in beats] for channel, each in packets.items()}
        at, begun = dict.fromkeys(messages, 0), dict.fromkeys(messages, -1)
        self.sent = {channel: [] for channel in messages}
        commands, beats = [], []
        for channel in order(queues):
            number, beat = queues[channel][at[channel]]
            at[channel] += 1
            beats.append((channel, beat))
            if number > begun[channel]:
                begun[channel] = number
                commands.append(self._command(channel, messages[channel][number]))
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": b"".join(commands)})
        self.runner.feed("s_axis", {
            "s_axis_tdata": b"".join(data.ljust(self.beat, b"\0") for _, (data, _, _) in beats),
            "s_axis_tkeep": [keep for _, (_, keep, _) in beats], "s_axis_tlast": [last for _, (_, _, last) in beats],
            "s_axis_tid": [channel for channel, _ in beats],
        })  # fmt: skip
        return len(commands), len(beats)

    def _command(self, channel, sent):
        values = {
            "nonce": sent.nonce, "associated": len(sent.ad), "tag": sent.tag, "tag_bytes": sent.tag_bytes, "id": self.ids & 0xFFFF,
            "slot": sent.slot, "decrypt": sent.decrypt, "channel": channel, **sent.fields,
        }  # fmt: skip
        self.sent[channel].append(self.ids & 0xFFFF)
        self.ids += 1
        return pack_message_command(message_command(self.size), **values)

    def run(self, messages, order=alternating, most=None):
        """Runs messages; for each channel what came of each, and the packets of text."""
        count, beats = self.send(messages, order)
        result = self.runner.run({"m_axis_status": count}, max_cycles=most or 2000 + 100 * count + 20 * beats)
        assert result.done, f"{count} messages, and {self.runner.take('m_axis_status').count} statuses"
        assert not any(self.runner.violations(name) for name in ("m_axis", "m_axis_status"))
        return self.statuses(), self.packets()

    def statuses(self):
        """All statuses that have come, by channel."""
        taken = self.runner.take("m_axis_status")
        result = {}
        for value, cycle in zip(taken.values("m_axis_status_tdata"), taken.cycles, strict=True):
            status = value.to_bytes(self.size + 4, "little")
            tag, number, code = unpack_message_status(status, self.size)
            result.setdefault(status_channel(status, self.size), []).append(Got(code.name, number, tag, cycle))
        return result

    def packets(self):
        """All whole packets that have come, by channel, with the mark and the cycle of the last beat."""
        taken = self.runner.take("m_axis")
        self.text_cycles = list(taken.cycles)
        result, sofar = {}, {}
        ports = ("m_axis_tid", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser")
        for cycle, channel, data, keep, last, cut in zip(taken.cycles, *(taken.values(port) for port in ports), strict=True):
            nbytes = keep.bit_count()
            assert keep == (1 << nbytes) - 1 and data >> 8 * nbytes == 0, "bytes outside tkeep"
            assert nbytes == self.beat or last
            sofar[channel] = sofar.get(channel, b"") + data.to_bytes(self.beat, "little")[:nbytes]
            if last:
                result.setdefault(channel, []).append((sofar.pop(channel), cut, cycle))
        assert not sofar, "a packet without an end"
        return result


def check_channels(host, made, order=alternating):
    """Runs messages, given with what must come of them as lists by channel, and compares all that comes."""
    statuses, packets = host.run({channel: [sent for sent, _ in each] for channel, each in made.items()}, order)
    for channel, each in made.items():
        for number, (got, (_, expected), name) in enumerate(zip(statuses.get(channel, []), each, host.sent[channel], strict=True)):
            tag = expected.tag.ljust(host.size, b"\0")
            assert (got.code, got.id, got.tag) == (expected.code, name, tag), (channel, number)
        texts = [(text, cut) for text, cut, _ in packets.get(channel, [])]
        assert texts == [(expected.text, 0) for _, expected in each if expected.text], channel
        # A status follows the text of its message.
        with_text = [got for got, (_, expected) in zip(statuses[channel], each, strict=True) if expected.text]
        assert all(got.status_cycle > cycle for got, (_, _, cycle) in zip(with_text, packets.get(channel, []), strict=True))
    return statuses
