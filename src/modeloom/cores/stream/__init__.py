# SPDX-License-Identifier: Apache-2.0
"""The maker of cores for messages of any length: buses around the pipeline of a compiled stream mode, and all that goes with such a core.

::

    hardware     the component, and the sizes of its buses
    core         StreamCore: a compiled stream mode as a Core
    describe     what core.json says of it
    figures      the cipher, the sizes of keys, the hash of the definition
    bench        the bench; its commands are made by vectors and traffic
    rules        assertions for simulation
    sheet        sections of the datasheet
    words        words of its name
"""

from modeloom.cores.stream.core import StreamCore, same_stream, stream_options_of

__all__ = ["StreamCore", "same_stream", "stream_options_of"]
