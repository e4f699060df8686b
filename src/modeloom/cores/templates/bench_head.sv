// SPDX-License-Identifier: Apache-2.0
//
// Bench of @NAME@, in SystemVerilog for the sake of $fatal. It knows the ports of the core and nothing of its inside.
//
//   $ iverilog -g2012 -s @NAME@_tb -o @NAME@_tb.vvp @NAME@.v @NAME@_tb.sv && vvp -n @NAME@_tb.vvp
//   $ verilator --binary --timing --top-module @NAME@_tb @NAME@.v @NAME@_tb.sv && obj_dir/V@NAME@_tb
//
// The last line of its own begins with "modeloom-bench: @NAME@ ok" or with "modeloom-bench: FAIL"; a failure ends in $fatal, so that the
// simulator's exit status is not 0. +dump=FILE writes a waveform (with Verilator: --trace). With MODELOOM_ASSERT defined the core watches its
// ports, and what it finds to be an error fails the bench. Expected results come from the software model of modeloom @VERSION@.

