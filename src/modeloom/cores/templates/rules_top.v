`ifdef MODELOOM_ASSERT

// Assertions on the ports of @NAME@ for simulation. +define+MODELOOM_ASSERT (or -DMODELOOM_ASSERT) turns them on.
//
// "modeloom-assert: error" reports that a rule of AXI4-Stream or a promise of the core was broken. The message begins with the name of
// the port. If the port is an input, the host broke the rule, otherwise the core. "modeloom-assert: warning" reports a command or packet
// that the core refuses. If MODELOOM_ASSERT_FATAL is defined, the first error ends the simulation. Two-state simulators cannot find
// unknown bits.
/* verilator lint_off WIDTH */
/* verilator lint_off BLKSEQ */
/* verilator lint_off UNUSED */
