# SPDX-License-Identifier: Apache-2.0
"""The generator of cores for messages of any length.

A core consists of the buses and the pipeline of a compiled stream mode.  The generator also writes the files that go with it::

    hardware     the component, and the sizes of its buses
    core         StreamCore, which makes a Core of a compiled stream mode
    describe     the contents of core.json: the cipher, the sizes of keys, the hash of the definition
    bench        the bench; vectors makes its commands
    rules        assertions for simulation
    sheet        sections of the datasheet
    page         its pictures
"""

from modeloom.cores.stream.core import StreamCore, same_stream, stream_options_of

__all__ = ["StreamCore", "same_stream", "stream_options_of"]
