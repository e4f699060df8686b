# SPDX-License-Identifier: Apache-2.0
"""Writes Verilog-2005 that people can read, of the RTLIL of a design.  It knows nothing of modes."""
