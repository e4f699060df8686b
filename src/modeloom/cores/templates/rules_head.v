  integer errors = 0;
  integer warnings = 0;
  integer cycle = 0;

  task broken;
    input [8*128-1:0] what;
    begin
      errors = errors + 1;
      $display("modeloom-assert: error: %m: cycle %0d: %0s", cycle, what);
`ifdef MODELOOM_ASSERT_FATAL
      $fatal(1, "modeloom-assert: the first error ends the simulation");
`endif
    end
  endtask

  task refused;
    input [8*128-1:0] what;
    begin
      warnings = warnings + 1;
      $display("modeloom-assert: warning: %m: cycle %0d: %0s", cycle, what);
    end
  endtask

  // The checks begin with the first reset, or when the core has finished the erasure at power-up.
  reg running = 1'b0;
  reg was_quiet = 1'b0;  // there was no reset and no erasure in the previous cycle
  reg was_zeroizing = 1'b0;
  reg was_error = 1'b0;
  wire quiet = aresetn === 1'b1 && zeroize === 1'b0 && zeroizing === 1'b0;

  @REGISTERS@

  // Whether a tkeep counts bytes: it has at least one 1, and all ones start at bit 0 without a gap.
  function counts;
    input [BEAT_BYTES-1:0] keep;
    counts = keep[0] && (keep & (keep + {{BEAT_BYTES-1{1'b0}}, 1'b1})) == {BEAT_BYTES{1'b0}};
  endfunction

  function [BEAT_BYTES*8-1:0] bytes;
    input [BEAT_BYTES-1:0] keep;
    integer b;
    for (b = 0; b < BEAT_BYTES; b = b + 1)
      bytes[8*b +: 8] = {8{keep[b]}};
  endfunction

