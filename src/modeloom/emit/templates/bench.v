// SPDX-License-Identifier: Apache-2.0
//
// Bench of @NAME@, in Verilog-2001. It knows the ports of the core and nothing of its inside.
//
//   iverilog -g2005 -s @NAME@_tb -o @NAME@_tb.vvp @NAME@.v @NAME@_tb.v && vvp -N @NAME@_tb.vvp
//
// The last line begins with "modeloom-bench: @NAME@ ok" or with "modeloom-bench: FAIL"; a failure ends in $stop, which
// vvp -N turns into exit status 1. Expected results come from the software model of modeloom @VERSION@.

`timescale 1ns / 1ps

module @NAME@_tb;

  localparam BEAT_BITS  = @BEAT_BITS@;
  localparam BEAT_BYTES = @BEAT_BYTES@;
  localparam COMMANDS   = @COMMANDS@;
  localparam SENT       = @SENT@;     // beats to the core, in all
  localparam WANTED     = @WANTED@;     // beats from the core, in all
  localparam RESULTS    = @RESULTS@;      // sectors from the core, in all
  localparam KEYS       = @KEYS@;
  localparam KEY_BEATS  = @KEY_BEATS@;
  localparam SLOTS      = @SLOTS@;

  localparam [15:0] KEY_LAST_KEEP = @KEY_LAST_KEEP@;

  // What the datasheet states, in cycles.
  localparam INTERVAL     = @INTERVAL@;   // between the first output beats of sectors back to back
  localparam LATENCY      = @LATENCY@;   // of the schedule
  localparam OVERHEAD     = @OVERHEAD@;   // buses and beats; LATENCY + OVERHEAD is seen at the pins
  localparam OVERLAP      = @OVERLAP@;
  localparam LIMIT        = @LIMIT@;

  // Commands sent by the end of each phase: without a key, the burst, one alone, one cut short and one after it.
  localparam PHASE_NO_KEY = @PHASE0@;
  localparam PHASE_BURST  = @PHASE1@;
  localparam PHASE_ALONE  = @PHASE2@;
  localparam PHASE_SHORT  = @PHASE3@;

  // Results by their number: the burst, then the one alone.
  localparam FIRST_STEADY = @FIRST_STEADY@;
  localparam ALONE        = PHASE_ALONE - PHASE_NO_KEY - 1;
  localparam SENT_BEFORE  = @SENT_BEFORE@;  // beats sent before the lone sector

  reg [319:0]            command   [0:COMMANDS-1];
  reg [7:0]              code      [0:COMMANDS-1];
  reg [BEAT_BITS-1:0]    sent      [0:SENT-1];
  reg [BEAT_BYTES-1:0]   sent_keep [0:SENT-1];
  reg                    sent_last [0:SENT-1];
  reg [15:0]             ends      [0:COMMANDS-1];  // beats sent by the end of each command's packet
  reg [BEAT_BITS-1:0]    wanted    [0:WANTED-1];
  reg [BEAT_BYTES-1:0]   wanted_keep [0:WANTED-1];
  reg                    wanted_last [0:WANTED-1];
  reg [127:0]            key       [0:KEYS*KEY_BEATS-1];
  reg [7:0]              key_slot  [0:KEYS-1];
  integer                first_out [0:RESULTS-1];   // cycles of first and last beats out
  integer                last_out  [0:RESULTS-1];

  reg aclk = 1'b0;
  reg aresetn = 1'b0;

  reg                    s_axis_cmd_tvalid = 1'b0;
  wire                   s_axis_cmd_tready;
  reg  [319:0]           s_axis_cmd_tdata = 320'b0;
  reg                    s_axis_tvalid = 1'b0;
  wire                   s_axis_tready;
  reg  [BEAT_BITS-1:0]   s_axis_tdata = {BEAT_BITS{1'b0}};
  reg  [BEAT_BYTES-1:0]  s_axis_tkeep = {BEAT_BYTES{1'b0}};
  reg                    s_axis_tlast = 1'b0;
  wire                   m_axis_tvalid;
  reg                    m_axis_tready = 1'b0;
  wire [BEAT_BITS-1:0]   m_axis_tdata;
  wire [BEAT_BYTES-1:0]  m_axis_tkeep;
  wire                   m_axis_tlast;
  wire                   m_axis_status_tvalid;
  reg                    m_axis_status_tready = 1'b0;
  wire [31:0]            m_axis_status_tdata;
  reg                    s_axis_key_tvalid = 1'b0;
  wire                   s_axis_key_tready;
  reg  [127:0]           s_axis_key_tdata = 128'b0;
  reg  [15:0]            s_axis_key_tkeep = 16'b0;
  reg                    s_axis_key_tlast = 1'b0;
  reg  [7:0]             s_axis_key_tdest = 8'b0;
  reg                    s_axis_key_tuser = 1'b0;
  wire [SLOTS-1:0]       key_loaded;
  wire                   key_busy;
  wire                   key_error;
  wire                   zeroizing;

  @NAME@ dut (
    .aclk(aclk),
    .aresetn(aresetn),
    .zeroize(1'b0),
    .zeroizing(zeroizing),
    .s_axis_cmd_tvalid(s_axis_cmd_tvalid),
    .s_axis_cmd_tready(s_axis_cmd_tready),
    .s_axis_cmd_tdata(s_axis_cmd_tdata),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .s_axis_tdata(s_axis_tdata),
    .s_axis_tkeep(s_axis_tkeep),
    .s_axis_tlast(s_axis_tlast),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready),
    .m_axis_tdata(m_axis_tdata),
    .m_axis_tkeep(m_axis_tkeep),
    .m_axis_tlast(m_axis_tlast),
    .m_axis_status_tvalid(m_axis_status_tvalid),
    .m_axis_status_tready(m_axis_status_tready),
    .m_axis_status_tdata(m_axis_status_tdata),
    .s_axis_key_tvalid(s_axis_key_tvalid),
    .s_axis_key_tready(s_axis_key_tready),
    .s_axis_key_tdata(s_axis_key_tdata),
    .s_axis_key_tkeep(s_axis_key_tkeep),
    .s_axis_key_tlast(s_axis_key_tlast),
    .s_axis_key_tdest(s_axis_key_tdest),
    .s_axis_key_tuser(s_axis_key_tuser),
    .key_loaded(key_loaded),
    .key_busy(key_busy),
    .key_error(key_error)
  );

  always #5 aclk = ~aclk;

  integer cycle = 0;
  integer errors = 0;
  integer limit = 0;       // commands that may be sent by now
  integer commands = 0;    // sent
  integer beats_in = 0;
  integer beats_out = 0;
  reg first = 1'b1;        // the next beat from the core is the first of a sector
  integer results = 0;
  integer statuses = 0;
  integer good = 0;        // statuses with code 0
  integer alone_in = 0;    // cycle of the lone sector's first beat

  // Commands and data are offered as fast as the core takes them.
  always @(posedge aclk) begin
    cycle <= cycle + 1;
    if (cycle == LIMIT) begin
      $display("modeloom-bench: FAIL @NAME@: no end after %0d cycles (%0d statuses of %0d)", cycle, statuses, COMMANDS);
      $stop;
    end
    if (s_axis_cmd_tvalid && s_axis_cmd_tready)
      commands = commands + 1;
    s_axis_cmd_tvalid <= commands < limit;
    if (commands < limit)
      s_axis_cmd_tdata <= command[commands];
    if (s_axis_tvalid && s_axis_tready) begin
      if (beats_in == SENT_BEFORE)
        alone_in = cycle;
      beats_in = beats_in + 1;
    end
    s_axis_tvalid <= limit > 0 && beats_in < ends[limit > 0 ? limit - 1 : 0];
    if (limit > 0 && beats_in < ends[limit > 0 ? limit - 1 : 0]) begin
      s_axis_tdata <= sent[beats_in];
      s_axis_tkeep <= sent_keep[beats_in];
      s_axis_tlast <= sent_last[beats_in];
    end
  end

  // Results and statuses, each in order; a status comes after the data of its sector.
  always @(posedge aclk) begin
    if (aresetn && m_axis_tvalid !== 1'b0 && m_axis_tready) begin
      if (beats_out == WANTED)
        fail("data that nobody asked for");
      else begin
        if (m_axis_tdata !== wanted[beats_out])
          fail("wrong data");
        if (m_axis_tlast !== wanted_last[beats_out])
          fail("wrong tlast");
        if (m_axis_tkeep !== wanted_keep[beats_out])
          fail("wrong tkeep");
        if (first)
          first_out[results] = cycle;
        first = wanted_last[beats_out];
        if (first) begin
          last_out[results] = cycle;
          results = results + 1;
        end
        beats_out = beats_out + 1;
      end
    end
    if (aresetn && m_axis_status_tvalid !== 1'b0 && m_axis_status_tready) begin
      if (statuses == COMMANDS)
        fail("a status that nobody asked for");
      else begin
        if (m_axis_status_tdata !== {8'b0, code[statuses], command[statuses][271:256]})
          fail("wrong status or order");
        if (code[statuses] == 0) begin
          good = good + 1;
          if (good > results)
            fail("a status before its data");
        end
        statuses = statuses + 1;
      end
    end
  end

  task fail;
    input [8*40-1:0] what;
    begin
      if (errors < 10)
        $display("modeloom-bench: cycle %0d, result %0d, status %0d: %0s", cycle, results, statuses, what);
      errors = errors + 1;
    end
  endtask

  // Lets the commands up to a number pass and waits until the core is idle again.
  task phase;
    input integer last;
    begin
      limit = last;
      while (statuses < last)
        @(negedge aclk);
      repeat (2 * INTERVAL + 64)
        @(negedge aclk);
    end
  endtask

  // Sends a key packet (or, to erase, one beat) and waits until the core is done with it.
  task send_key;
    input integer number;
    input erase;
    integer at;
    begin
      for (at = 0; at < (erase ? 1 : KEY_BEATS); at = at + 1) begin
        s_axis_key_tvalid = 1'b1;
        s_axis_key_tdata = erase ? 128'b0 : key[number * KEY_BEATS + at];
        s_axis_key_tlast = erase || at == KEY_BEATS - 1;
        s_axis_key_tkeep = !erase && at == KEY_BEATS - 1 ? KEY_LAST_KEEP : 16'hffff;
        s_axis_key_tdest = key_slot[number];
        s_axis_key_tuser = erase;
        @(posedge aclk);
        while (!s_axis_key_tready)
          @(posedge aclk);
        @(negedge aclk);
      end
      s_axis_key_tvalid = 1'b0;
      while (key_busy !== 1'b0)
        @(negedge aclk);
      if (key_error !== 1'b0 || key_loaded[key_slot[number]] !== !erase)
        fail("key not taken or not erased");
    end
  endtask

  integer i;
  integer pins;
  initial begin
    vectors;
    repeat (8) @(negedge aclk);
    aresetn = 1'b1;
    m_axis_tready = 1'b1;
    m_axis_status_tready = 1'b1;
    repeat (4) @(negedge aclk);
    phase(PHASE_NO_KEY);
    for (i = 0; i < KEYS; i = i + 1)
      send_key(i, 1'b0);
    phase(PHASE_BURST);
    phase(PHASE_ALONE);
    phase(PHASE_SHORT);
    for (i = 0; i < KEYS; i = i + 1)
      send_key(i, 1'b1);
    if (beats_out != WANTED)
      fail("too little data");
    for (i = FIRST_STEADY; i < ALONE; i = i + 1)
      if (first_out[i] - first_out[i - 1] != INTERVAL)
        fail("sectors not at the stated distance");
    pins = last_out[ALONE] - alone_in;
    if (pins != LATENCY + OVERHEAD)
      fail("not the stated latency");
    if (errors != 0) begin
      $display("modeloom-bench: FAIL @NAME@: %0d errors, interval=%0d latency_pins=%0d", errors,
               first_out[ALONE - 1] - first_out[ALONE - 2], pins);
      $stop;
    end else begin
      $display("modeloom-bench: @NAME@ ok sectors=%0d cycles_per_sector=%0d interval=%0d latency=%0d latency_pins=%0d",
               results, OVERLAP ? first_out[ALONE - 1] - first_out[ALONE - 2] : pins - OVERHEAD,
               first_out[ALONE - 1] - first_out[ALONE - 2], pins - OVERHEAD, pins);
      $finish;
    end
  end

  task vectors;
    begin
@VECTORS@
    end
  endtask

endmodule
