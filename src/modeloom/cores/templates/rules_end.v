    was_quiet = quiet;
    was_zeroizing = zeroizing === 1'b1 && running;
    was_error = key_error === 1'b1;
    @KEEP@
  end

endmodule
/* verilator lint_on UNUSED */
/* verilator lint_on BLKSEQ */
/* verilator lint_on WIDTH */

`endif
