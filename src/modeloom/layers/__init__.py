# SPDX-License-Identifier: Apache-2.0
"""A core for messages is a stack of layers around a pipeline.  Each layer says all about itself; the others know the contract alone.

::

    MessageStore   stores messages to seal            ┐
    KeyDerivation  derives the keys of messages       │  each shows another interface, or other figures, or other sentences,
    Hold           holds text until its tag was right │  than what is inside of it, and passes the rest on
    ...                                               ┘
    MessageControl the message control around the pipeline of the mode

``layer`` is the contract, and ``stack`` puts the layers of a core together.
"""

from modeloom.layers.layer import Layer
from modeloom.layers.stack import Stack

__all__ = ["Layer", "Stack"]
