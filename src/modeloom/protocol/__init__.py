# SPDX-License-Identifier: Apache-2.0
"""The protocol of cores for messages, at their pins: what a host may send, and what a core must answer.

::

    contract       what a core promises its host: lengths, directions, channels, form of packets
    transactions   a message as a command and a packet
    outcome        what comes of it: the table of codes of ``docs/interfaces.md``, once
    faults         each way in which a packet can be wrong
    scenarios      commands and packets that are wrong, for all that drive a core
    segments       messages as words of the LWC interface, and what comes of them

Simulated cores, the host of ``verify``, benches, and execution on symbols play this protocol.
"""
