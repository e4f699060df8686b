`ifdef MODELOOM_ASSERT
    if (dut.rules.errors != 0)
      fail("assertions of the core found errors");
`endif
    report;
  end

  task vectors;
    begin
      @VECTORS@
    end
  endtask

endmodule
/* verilator lint_on WIDTH */
