// SPDX-License-Identifier: Apache-2.0
//
// Self-checking bench of @NAME@, in SystemVerilog because it uses $fatal. It uses the ports of the core only.
//
//   $ iverilog -g2012 -s @NAME@_tb -o @NAME@_tb.vvp @NAME@.v @NAME@_tb.sv && vvp -n @NAME@_tb.vvp
//   $ verilator --binary --timing --top-module @NAME@_tb @NAME@.v @NAME@_tb.sv && obj_dir/V@NAME@_tb
//
// The last line that the bench prints begins with "modeloom-bench: @NAME@ ok" or "modeloom-bench: FAIL". A failure calls $fatal, and the
// simulator then exits with a status other than 0. +dump=FILE writes a waveform (Verilator also needs --trace). The expected words come
// from the software model of modeloom @VERSION@.

/* verilator lint_off WIDTH */
module @NAME@_tb;
  localparam PDI_WORDS = @PDI_WORDS@;
  localparam SDI_WORDS = @SDI_WORDS@;
  localparam DO_WORDS = @DO_WORDS@;
  localparam MESSAGES = @MESSAGES@;
  localparam LIMIT = @LIMIT@;

  reg [@WORD_BITS@-1:0] pdi [0:PDI_WORDS-1];
  reg [@WORD_BITS@-1:0] sdi [0:SDI_WORDS-1];
  reg [@WORD_BITS@-1:0] wanted [0:DO_WORDS-1];
  reg                   wanted_last [0:DO_WORDS-1];

  reg  aclk = 1'b0;
  reg  aresetn = 1'b0;
  wire zeroizing;
  reg  pdi_valid = 1'b0;
  wire pdi_ready;
  reg  [@WORD_BITS@-1:0] pdi_data = @WORD_BITS@'h0;
  reg  sdi_valid = 1'b0;
  wire sdi_ready;
  reg  [@WORD_BITS@-1:0] sdi_data = @WORD_BITS@'h0;
  wire do_valid;
  reg  do_ready = 1'b0;
  wire [@WORD_BITS@-1:0] do_data;
  wire do_last;

  @NAME@ dut (
    .aclk(aclk), .aresetn(aresetn), .zeroize(1'b0), .zeroizing(zeroizing),
    .pdi_valid(pdi_valid), .pdi_ready(pdi_ready), .pdi_data(pdi_data),
    .sdi_valid(sdi_valid), .sdi_ready(sdi_ready), .sdi_data(sdi_data),
    .do_valid(do_valid), .do_ready(do_ready), .do_data(do_data), .do_last(do_last)
  );

  always #5 aclk = !aclk;

  integer cycle = 0, pdi_at = 0, sdi_at = 0, do_at = 0, errors = 0, statuses = 0, first = 0, fast = 0;
  reg pauses = 1'b0, halt = 1'b1, waiting = 1'b0;
  reg [@WORD_BITS@:0] waits;
  reg [31:0] random = 32'h4d4c6f6d;

  task fail;
    input [8*40-1:0] what;
    begin
      if (errors < 10)
        $display("modeloom-bench: cycle %0d, word %0d of DO: %0s", cycle, do_at, what);
      errors = errors + 1;
    end
  endtask

  always @(posedge aclk) begin
    cycle <= cycle + 1;
    random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
    if (cycle == LIMIT) begin
      $display("modeloom-bench: FAIL @NAME@: not finished after %0d cycles (%0d of %0d words)", cycle, do_at, DO_WORDS);
      $fatal(1, "not finished");
    end
    if (halt) begin
      pdi_valid <= 1'b0;
      sdi_valid <= 1'b0;
      do_ready <= 1'b0;
      waiting = 1'b0;
    end else begin
      if (pdi_valid && pdi_ready)
        pdi_at = pdi_at + 1;
      if (sdi_valid && sdi_ready)
        sdi_at = sdi_at + 1;
      // The host never withdraws a word.
      if (!pdi_valid || pdi_ready) begin
        pdi_valid <= pdi_at < PDI_WORDS && !(pauses && random[1:0] == 2'b0);
        if (pdi_at < PDI_WORDS)
          pdi_data <= pdi[pdi_at];
      end
      if (!sdi_valid || sdi_ready) begin
        sdi_valid <= sdi_at < SDI_WORDS && !(pauses && random[4:3] == 2'b0);
        if (sdi_at < SDI_WORDS)
          sdi_data <= sdi[sdi_at];
      end
      do_ready <= !(pauses && random[7]);
      if (waiting && (!do_valid || {do_last, do_data} !== waits))
        fail("a word changes before it is taken");
      if (!do_valid && (do_data !== @WORD_BITS@'h0 || do_last !== 1'b0))
        fail("data without do_valid");
      if (do_valid && do_ready) begin
        if (do_at == DO_WORDS)
          fail("more words than expected");
        else begin
          if (do_data !== wanted[do_at])
            fail("wrong data");
          if (do_last !== wanted_last[do_at])
            fail("wrong do_last");
          do_at = do_at + 1;
        end
        if (do_last)
          statuses = statuses + 1;
      end
      waiting = do_valid && !do_ready;
      waits = {do_last, do_data};
    end
  end

  task pass;
    input with_pauses;
    begin
      halt = 1'b1;
      aresetn = 1'b0;
      repeat (8) @(negedge aclk);
      pauses = with_pauses;
      pdi_at = 0;
      sdi_at = 0;
      do_at = 0;
      aresetn = 1'b1;
      halt = 1'b0;
      first = cycle;
      while (do_at < DO_WORDS && errors < 100)
        @(negedge aclk);
      if (!with_pauses)
        fast = cycle - first;
      repeat (200) @(negedge aclk);
      if (pdi_at != PDI_WORDS || sdi_at != SDI_WORDS)
        fail("words that were not taken");
    end
  endtask

  reg [8*256-1:0] dump;
  initial begin
    if ($value$plusargs("dump=%s", dump)) begin
      $dumpfile(dump);
      $dumpvars(0, @NAME@_tb);
    end
    vectors;
    pass(1'b0);
    pass(1'b1);
    if (errors != 0 || statuses != 2 * MESSAGES) begin
      $display("modeloom-bench: FAIL @NAME@: %0d errors, %0d of %0d statuses", errors, statuses, 2 * MESSAGES);
      $fatal(1, "errors");
    end
    $display("modeloom-bench: @NAME@ ok messages=%0d words=%0d cycles=%0d", MESSAGES, DO_WORDS, fast);
    $finish;
  end

  task vectors;
    begin
      @VECTORS@
    end
  endtask

endmodule
/* verilator lint_on WIDTH */
