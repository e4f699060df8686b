// SPDX-License-Identifier: Apache-2.0
//
// Self-checking bench of @NAME@, in SystemVerilog because it uses $fatal. It uses the ports of the core only.
//
//   $ iverilog -g2012 -s @NAME@_tb -o @NAME@_tb.vvp @NAME@.v @NAME@_tb.sv && vvp -n @NAME@_tb.vvp
//   $ verilator --binary --timing --top-module @NAME@_tb @NAME@.v @NAME@_tb.sv && obj_dir/V@NAME@_tb
//
// The last line that the bench prints begins with "modeloom-bench: @NAME@ ok" or "modeloom-bench: FAIL". A failure calls $fatal, and the
// simulator then exits with a status other than 0. +dump=FILE writes a waveform (Verilator also needs --trace). If MODELOOM_ASSERT is
// defined, the core checks its ports with assertions, and their errors fail the bench. The expected results come from the software model
// of modeloom @VERSION@.

