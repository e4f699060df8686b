# SPDX-License-Identifier: Apache-2.0
"""Coverage of emitted Verilog in Verilator; ``bench/coverage.py`` is the command."""
