# SPDX-License-Identifier: Apache-2.0
"""Three published ciphers of a user, each in another style of Amaranth: what verify must take, whatever the style."""
