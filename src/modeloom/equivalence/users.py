# SPDX-License-Identifier: Apache-2.0
"""The cipher cores of a user, which are compared with their software before they are executed as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modeloom.ciphers import BlockCipher, CoreRequest
from modeloom.ciphers.emitted import result_places
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.cores import Parts
from modeloom.spec import DefinitionError

__all__ = ["UsersCipher", "UsersCore"]

UsersCipher = tuple[BlockCipher, CoreRequest]
"""The cipher of a user, and the request for one of its cores."""


class UsersCore:
    """A module of an emitted core that is a cipher core of a user.

    Parameters
    ----------
    cipher : BlockCipher
    request : CoreRequest
    rtlil : str
        The emitted core.
    module : str
        The name of the module.
    """

    def __init__(self, cipher: BlockCipher, request: CoreRequest, rtlil: str, module: str):
        self.cipher, self.request, self.rtlil, self.module = cipher, request, rtlil, module
        self._known: dict[object, list[int | None]] = {}

    def forms(self, ports: Mapping[str, Parts]) -> int:
        """Number of forms of the round keys that the module takes.  A core for both directions may make the keys of the other form
        itself, and has no port for them."""
        return 1 + ("key_data_dec" in ports)

    def order(self, ports: Mapping[str, Parts], outputs: Sequence[tuple[str, int]]) -> list[int | None]:
        """The bit of a block for each bit of its outputs.

        Raises ``CircuitError`` if it does not compute what the software does, in the cycles that the description says.
        """
        key = tuple(sorted(ports.items())), tuple(outputs)
        if key not in self._known:
            try:
                self._known[key] = result_places(self.cipher, self.request, self.rtlil, self.module, ports, outputs)
            except DefinitionError as error:
                raise CircuitError(str(error)) from error
        return self._known[key]
