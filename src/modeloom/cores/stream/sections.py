# SPDX-License-Identifier: Apache-2.0
"""The comments before the modules in the Verilog of a core for messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["OF_BUFFERED", "OF_DERIVED", "TITLES", "titles_around"]

TITLES: dict[str, list[str]] = {
    name: [title]
    for name, title in {
        "": "The core: message control, pipeline, erasure",
        "zeroizer": "Erases all memories, word by word, at power-up, in a reset and on request",
        "bus": "The message control around the pipeline",
        "bus_command": "Takes commands and checks them",
        "bus_intake": "Turns the beats of a packet into tokens, and counts them",
        "bus_messages": "Messages whose tokens have not all entered",
        "bus_window": "Tokens that wait until it is known how many follow in their message",
        "bus_entry": "Lets tokens enter the pipeline: those of messages, then those of keys",
        "bus_flight": "Which key slots have messages in flight",
        "bus_packets": "Packets as they are on the wire: takes them apart, and joins them again",
        "bus_packets_splitter": "Takes the tag off a packet",
        "bus_packets_aligner": "Lets text begin with a beat of its own",
        "bus_packets_order": "The parts of a packet out in their order",
        "bus_packets_joiner": "Joins the parts of a packet",
        "bus_packets_hold": "Holds packets to open until their tag was right",
        "bus_texts": "Text until the host takes it",
        "bus_verdicts": "Compares tags, and gives statuses in the order of the commands",
        "bus_preparation": "Asks for the tokens that prepare a key",
        "bus_key_port": "Takes keys, runs the set-up of a key, erases keys",
        "bus_key_schedule": "Round keys of the cipher",
        "bus_pipeline": "The pipeline: units at their stages, delay lines between them, the state at its homes",
        "bus_pipeline_key_memory": "Key words of all slots",
        "bus_pipeline_chains": "Chains of the hash",
        "bus_pipeline_cipher": "The cipher",
        "bus_pipeline_multiplier": "The multiplier of the hash",
    }.items()
}
"""The titles of modules, by their names without the name of the core."""

OF_DERIVED = {
    "bus": "The part that derives keys, in front of the message control",
    "bus_deriver": "Derives the key of each message of its nonce and the master key in its slot",
    "bus_deriver_flight": "Which master keys have something derived of them in the core",
    "bus_deriver_cipher_0": "A round of the cipher",
    "bus_key_port": "Takes master keys, and erases them",
    "bus_key_schedule": "Round keys of master keys",
    "bus_messages": "The message control around the pipeline",
}
"""Those of a core that derives keys."""


OF_BUFFERED = {
    "bus": "The part that stores messages to seal, in front of the core",
    "bus_buffer": "Stores messages to seal, and sends each through both passes",
    "bus_buffer_feeder": "The memory of messages, and the beats of each pass",
    "bus_core": "The core behind it",
}
"""Those of a core that stores messages."""


def titles_around(titles: Mapping[str, Sequence[str]], own: Mapping[str, str], inner: str = "messages") -> dict[str, Sequence[str]]:
    """The titles of a core that has something in front of another one: what it has of its own, and the others."""
    inside = {name.replace("bus", f"bus_{inner}", 1): title for name, title in titles.items() if name.startswith("bus")}
    others = {name: title for name, title in titles.items() if not name.startswith("bus")}
    return {**others, **inside, **{name: [title] for name, title in own.items()}}
