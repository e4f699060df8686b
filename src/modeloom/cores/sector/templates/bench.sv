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

/* verilator lint_off WIDTH */
module @NAME@_tb;

  localparam BEAT_BITS  = @BEAT_BITS@;
  localparam BEAT_BYTES = @BEAT_BYTES@;
  localparam COMMANDS   = @COMMANDS@;
  localparam SENT       = @SENT@;     // beats to the core, in all
  localparam WANTED     = @WANTED@;     // beats that may come from the core, in all
  localparam KEYS       = @KEYS@;
  localparam KEY_BEATS  = @KEY_BEATS@;
  localparam SLOTS      = @SLOTS@;
  localparam USED       = @USED@;      // slots that get keys

  localparam @KEY_KEEP_RANGE@ KEY_LAST_KEEP = @KEY_LAST_KEEP@;

  // What the datasheet states, in cycles.
  localparam INTERVAL     = @INTERVAL@;   // between the first output beats of sectors back to back
  localparam LATENCY      = @LATENCY@;   // of the schedule
  localparam OVERHEAD     = @OVERHEAD@;   // buses and beats; LATENCY + OVERHEAD is seen at the pins
  localparam OVERLAP      = @OVERLAP@;
  localparam ERASE_CYCLES = @ERASE_CYCLES@;  // of zeroizing after a request
  localparam LIMIT        = @LIMIT@;

  // Commands sent by the end of each phase.
  @PHASES@

  // Results by their number: the burst, then the one alone.
  localparam FIRST_STEADY = @FIRST_STEADY@;
  localparam ALONE        = PHASE_ALONE - PHASE_EMPTY - 1;
  localparam SENT_BEFORE  = @SENT_BEFORE@;  // beats sent before the lone sector

  localparam OK = @OK@, NO_KEY = @NO_KEY@;
  localparam MOST_ERRORS = 20;  // ends the bench

  reg @COMMAND_RANGE@            command   [0:COMMANDS-1];
  reg @CODE_RANGE@              code      [0:COMMANDS-1];
  reg [31:0]             ends      [0:COMMANDS-1];  // beats sent by the end of each command's packet
  reg [31:0]             want_from [0:COMMANDS-1];  // its beats among those wanted
  reg [31:0]             want_to   [0:COMMANDS-1];
  reg                    changes   [0:COMMANDS-1];  // the key changes meanwhile, to none or to the one of the next beats wanted
  reg [31:0]             renew_to  [0:COMMANDS-1];
  reg [BEAT_BITS-1:0]    sent      [0:SENT-1];
  reg [BEAT_BYTES-1:0]   sent_keep [0:SENT-1];
  reg                    sent_last [0:SENT-1];
  reg [BEAT_BITS-1:0]    wanted    [0:WANTED-1];
  reg [BEAT_BYTES-1:0]   wanted_keep [0:WANTED-1];
  reg [BEAT_BITS-1:0]    given     [0:WANTED-1];    // beats from the core
  reg [BEAT_BYTES-1:0]   given_keep [0:WANTED-1];
  reg                    given_last [0:WANTED-1];
  reg @KEY_RANGE@            key       [0:KEYS*KEY_BEATS-1];
  reg @SLOT_RANGE@              key_slot  [0:KEYS-1];
  integer                first_out [0:COMMANDS-1];   // cycles of first and last beats of the results
  integer                last_out  [0:COMMANDS-1];

  reg aclk = 1'b0;
  reg aresetn = 1'b0;
  reg zeroize = 1'b0;
  reg halt = 1'b1;         // the host gives and takes nothing, as in a reset

  reg                    cmd_tvalid = 1'b0;
  wire                   s_axis_cmd_tvalid = cmd_tvalid && !halt;
  wire                   s_axis_cmd_tready;
  reg  @COMMAND_RANGE@           s_axis_cmd_tdata = @COMMAND_BITS@'b0;
  reg                    data_tvalid = 1'b0;
  wire                   s_axis_tvalid = data_tvalid && !halt;
  wire                   s_axis_tready;
  reg  [BEAT_BITS-1:0]   s_axis_tdata = {BEAT_BITS{1'b0}};
  reg  [BEAT_BYTES-1:0]  s_axis_tkeep = {BEAT_BYTES{1'b0}};
  reg                    s_axis_tlast = 1'b0;
  wire                   m_axis_tvalid;
  reg                    take_data = 1'b0;
  wire                   m_axis_tready = take_data && !halt;
  wire [BEAT_BITS-1:0]   m_axis_tdata;
  wire [BEAT_BYTES-1:0]  m_axis_tkeep;
  wire                   m_axis_tlast;
  wire                   m_axis_status_tvalid;
  reg                    take_status = 1'b0;
  wire                   m_axis_status_tready = take_status && !halt;
  wire @STATUS_RANGE@            m_axis_status_tdata;
  reg                    s_axis_key_tvalid = 1'b0;
  wire                   s_axis_key_tready;
  reg  @KEY_RANGE@           s_axis_key_tdata = @KEY_BITS@'b0;
  reg  @KEY_KEEP_RANGE@            s_axis_key_tkeep = @KEY_KEEP_BITS@'b0;
  reg                    s_axis_key_tlast = 1'b0;
  reg  @SLOT_RANGE@             s_axis_key_tdest = @SLOT_BITS@'b0;
  reg                    s_axis_key_tuser = 1'b0;
  wire [SLOTS-1:0]       key_loaded;
  wire                   key_busy;
  wire                   key_error;
  wire                   zeroizing;

  @NAME@ dut (
    .aclk(aclk),
    .aresetn(aresetn),
    .zeroize(zeroize),
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
  integer pins = 0;        // latency of the lone sector over the pins
  integer limit = 0;       // commands that may be sent by now
  integer commands = 0;    // sent
  integer beats_in = 0;
  integer beats_out = 0;
  integer judged = 0;      // beats from the core whose status has come
  reg first = 1'b1;        // the next beat from the core is the first of a sector
  integer results = 0;
  integer statuses = 0;
  integer alone_in = 0;    // cycle of the lone sector's first beat
  integer key_state = 0;   // of a slot whose key changes: 0 as it was, 1 none, 2 the new one
  reg pauses = 1'b0;       // random pauses on all streams
  reg hold_data = 1'b0;    // take no results
  reg hold_status = 1'b0;  // take no statuses
  reg skip = 1'b0;         // drop what is under way, and begin behind the limit
  reg [31:0] random = 32'h4d4c6f6d;
  wire pause_cmd = pauses && random[1:0] != 2'b0, pause_data = pauses && random[4:3] == 2'b0, pause_take = pauses && random[7];
  integer end_of_data;

  // Commands and data are offered as fast as the core takes them, or with pauses; what has been offered stays.
  always @(posedge aclk) begin
    cycle <= cycle + 1;
    random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
    if (cycle == LIMIT) begin
      $display("modeloom-bench: FAIL @NAME@: no end after %0d cycles (%0d statuses of %0d)", cycle, statuses, COMMANDS);
      $fatal(1, "no end");
    end
    if (s_axis_cmd_tvalid && s_axis_cmd_tready)
      commands = commands + 1;
    if (s_axis_tvalid && s_axis_tready) begin
      if (beats_in == SENT_BEFORE)
        alone_in = cycle;
      beats_in = beats_in + 1;
    end
    end_of_data = limit > 0 ? ends[limit - 1] : 0;
    if (skip) begin
      commands = limit;
      beats_in = end_of_data;
    end
    if (!s_axis_cmd_tvalid || s_axis_cmd_tready) begin
      cmd_tvalid <= commands < limit && !pause_cmd;
      if (commands < limit)
        s_axis_cmd_tdata <= command[commands];
    end
    if (!s_axis_tvalid || s_axis_tready) begin
      data_tvalid <= beats_in < end_of_data && !pause_data;
      if (beats_in < end_of_data) begin
        s_axis_tdata <= sent[beats_in];
        s_axis_tkeep <= sent_keep[beats_in];
        s_axis_tlast <= sent_last[beats_in];
      end
    end
    take_data <= !hold_data && !pause_take;
    take_status <= !hold_status && !(pauses && random[9]);
  end

  // Results and statuses, each in order; a status comes after the data of its sector, and is judged with them.
  always @(posedge aclk) begin
    if (skip) begin
      statuses = limit;
      judged = beats_out;
      first = 1'b1;
    end
    if (aresetn && m_axis_tvalid !== 1'b0 && m_axis_tready) begin
      if (beats_out == WANTED)
        fail("data that nobody asked for");
      else begin
        given[beats_out] = m_axis_tdata;
        given_keep[beats_out] = m_axis_tkeep;
        given_last[beats_out] = m_axis_tlast;
        if (first)
          first_out[results] = cycle;
        first = m_axis_tlast;
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
        judge;
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
      if (errors == MOST_ERRORS)
        report;
    end
  endtask

  // The last line, and the end.
  task report;
    begin
      if (errors != 0) begin
        $display("modeloom-bench: FAIL @NAME@: %0d errors%0s, interval=%0d latency_pins=%0d", errors,
                 errors == MOST_ERRORS ? " and no further look" : "", first_out[ALONE - 1] - first_out[ALONE - 2], pins);
        $fatal(1, "%0d errors", errors);
      end else begin
        $display("modeloom-bench: @NAME@ ok sectors=%0d cycles_per_sector=%0d interval=%0d latency=%0d latency_pins=%0d",
                 results, OVERLAP ? first_out[ALONE - 1] - first_out[ALONE - 2] : pins - OVERHEAD,
                 first_out[ALONE - 1] - first_out[ALONE - 2], pins - OVERHEAD, pins);
        $finish;
      end
    end
  endtask

  // Whether the oldest beats that have not been judged are those wanted.
  function same;
    input integer from;
    input integer to;
    integer at;
    begin
      same = from < to && judged + to - from <= beats_out;
      for (at = 0; same && at < to - from; at = at + 1)
        same = given[judged + at] === wanted[from + at] && given_keep[judged + at] === wanted_keep[from + at]
               && given_last[judged + at] === (at == to - from - 1);
    end
  endfunction

  // The status on the bus, and the data before it.
  task judge;
    reg @CODE_RANGE@ said;
    begin
      said = m_axis_status_tdata@STATUS_CODE@;
      if ({m_axis_status_tdata@STATUS_REST@, m_axis_status_tdata@STATUS_TAG@} !== {@REST_BITS@'b0, command[statuses]@COMMAND_TAG@})
        fail("wrong status or order");
      if (!changes[statuses]) begin
        if (said !== code[statuses])
          fail("wrong status or order");
        else if (said == OK && !same(want_from[statuses], want_to[statuses]))
          fail("wrong data");
        if (code[statuses] == OK)
          judged = judged + (want_to[statuses] - want_from[statuses]);
      end else if (said === NO_KEY) begin
        if (key_state == 2)
          fail("a key was lost");
        key_state = 1;
      end else begin
        if (said !== OK)
          fail("wrong status or order");
        else if (key_state == 0 && same(want_from[statuses], want_to[statuses]))
          key_state = 0;
        else if (same(want_to[statuses], renew_to[statuses]))
          key_state = 2;
        else
          fail("wrong data while a key changed");
        judged = judged + (want_to[statuses] - want_from[statuses]);
      end
    end
  endtask

  // Waits until so many statuses have come.
  task await_statuses;
    input integer count;
    begin
      while (statuses < count)
        @(negedge aclk);
    end
  endtask

  // Lets the commands up to a number pass and waits until the core is idle again.
  task phase;
    input integer last;
    begin
      limit = last;
      await_statuses(last);
      repeat (2 * INTERVAL + 64)
        @(negedge aclk);
      if (judged != beats_out)
        fail("data that nobody asked for");
    end
  endtask

  // Sends a packet of so many beats and waits until the core is done with it; erases the slot if there is no key.
  task key_packet;
    input integer number;
    input integer beats;
    input @KEY_KEEP_RANGE@ last_keep;
    input @SLOT_RANGE@ slot;
    input erase;
    input wait_for_it;
    integer at;
    begin
      for (at = 0; at < beats; at = at + 1) begin
        s_axis_key_tvalid = 1'b1;
        s_axis_key_tdata = erase ? @KEY_BITS@'b0 : key[number * KEY_BEATS + at % KEY_BEATS];
        s_axis_key_tlast = at == beats - 1;
        s_axis_key_tkeep = s_axis_key_tlast ? last_keep : @KEY_ALL@;
        s_axis_key_tdest = slot;
        s_axis_key_tuser = erase;
        @(posedge aclk);
        while (!s_axis_key_tready && wait_for_it)
          @(posedge aclk);
        @(negedge aclk);
      end
      if (wait_for_it) begin
        s_axis_key_tvalid = 1'b0;
        while (key_busy !== 1'b0)
          @(negedge aclk);
      end
    end
  endtask

  task send_key;
    input integer number;
    begin
      key_packet(number, KEY_BEATS, KEY_LAST_KEEP, key_slot[number], 1'b0, 1'b1);
      if (key_error !== 1'b0 || key_loaded[key_slot[number]] !== 1'b1)
        fail("key not taken");
    end
  endtask

  task erase_key;
    input integer number;
    begin
      key_packet(number, 1, @KEY_ALL@, key_slot[number], 1'b1, 1'b1);
      if (key_error !== 1'b0 || key_loaded[key_slot[number]] !== 1'b0)
        fail("key not erased");
    end
  endtask

  // A packet that the core must refuse.
  task wrong_key;
    input integer number;
    input integer beats;
    input @KEY_KEEP_RANGE@ last_keep;
    input @SLOT_RANGE@ slot;
    begin
      key_packet(number, beats, last_keep, slot, 1'b0, 1'b1);
      if (key_error !== 1'b1)
        fail("a wrong key packet was not refused");
      if (slot < SLOTS && key_loaded[slot] !== 1'b0)
        fail("a wrong key packet left a key");
    end
  endtask

  task send_keys;
    input integer from;
    integer k;
    begin
      for (k = from; k < from + USED; k = k + 1)
        send_key(k);
    end
  endtask

  // Ends everything by zeroize or by a reset of a cycle; the commands up to the limit are not sent any more.
  task cut;
    input by_reset;
    integer erased;
    begin
      halt = 1'b1;
      skip = 1'b1;
      s_axis_key_tvalid = 1'b0;
      aresetn = !by_reset;
      zeroize = !by_reset;
      @(negedge aclk);
      aresetn = 1'b1;
      zeroize = 1'b0;
      erased = 0;
      while (zeroizing !== 1'b0 && erased <= ERASE_CYCLES) begin
        erased = erased + 1;
        @(negedge aclk);
        if (erased > 1 && zeroizing === 1'b1
            && {m_axis_tvalid, m_axis_status_tvalid, s_axis_tready, s_axis_cmd_tready, s_axis_key_tready, key_busy, key_error} !== 7'b0)
          fail("a bus is busy in an erasure");
      end
      if (erased != ERASE_CYCLES)
        fail("an erasure does not take as long as stated");
      if (key_loaded !== {SLOTS{1'b0}})
        fail("a key is left");
      halt = 1'b0;
      skip = 1'b0;
    end
  endtask

  integer i;
  reg [8*256-1:0] dump;
  initial begin
    if ($value$plusargs("dump=%s", dump)) begin
      $dumpfile(dump);
      $dumpvars(0, @NAME@_tb);
    end
    vectors;
    repeat (8) @(negedge aclk);
    aresetn = 1'b1;
    halt = 1'b0;
    repeat (4) @(negedge aclk);
    phase(PHASE_EMPTY);
    send_keys(0);
    phase(PHASE_BURST);
    phase(PHASE_ALONE);
    phase(PHASE_WRONG);

    // Results wait until nothing more enters, then everything pauses at random.
    hold_data = 1'b1;
    limit = PHASE_STALLS;
    repeat (LATENCY + OVERHEAD + (PHASE_STALLS - PHASE_WRONG) * INTERVAL) @(negedge aclk);
    pauses = 1'b1;
    hold_data = 1'b0;
    phase(PHASE_STALLS);
    hold_status = 1'b1;
    limit = PHASE_STATUSES;
    repeat (8 * (PHASE_STATUSES - PHASE_STALLS)) @(negedge aclk);
    pauses = 1'b0;
    hold_status = 1'b0;
    phase(PHASE_STATUSES);

    // Other keys, and one more under traffic.
    send_keys(USED);
    phase(PHASE_RENEWED);
    key_state = 0;
    limit = PHASE_RELOAD;
    await_statuses(PHASE_RENEWED + 1);
    send_key(2 * USED);
    phase(PHASE_RELOAD);
    phase(PHASE_RELOADED);

    // Packets that are no key.
    wrong_key(0, KEY_BEATS, KEY_LAST_KEEP ^ @KEY_KEEP_BITS@'h0001, key_slot[0]);
    wrong_key(0, KEY_BEATS + 1, KEY_LAST_KEEP, key_slot[0]);
    if (KEY_BEATS > 1)
      wrong_key(0, 1, @KEY_ALL@, key_slot[0]);
    wrong_key(0, KEY_BEATS, KEY_LAST_KEEP, SLOTS);
    @REFUSED@
    phase(PHASE_REFUSED);

    // An erasure under traffic.
    send_key(0);
    key_state = 0;
    limit = PHASE_ERASURE;
    await_statuses(PHASE_REFUSED + 1);
    erase_key(0);
    phase(PHASE_ERASURE);
    phase(PHASE_ERASED);

    // The end of everything, under traffic and in a key packet.
    send_keys(0);
    limit = PHASE_ZEROIZE;
    await_statuses(PHASE_ERASED + 1);
    cut(1'b0);
    key_packet(0, 1, @KEY_ALL@, key_slot[0], 1'b0, 1'b0);
    repeat (3) @(negedge aclk);
    cut(1'b0);
    phase(PHASE_ZEROIZED);
    send_keys(0);
    phase(PHASE_STARTED);
    pauses = 1'b1;
    limit = PHASE_RESET;
    await_statuses(PHASE_STARTED + 1);
    pauses = 1'b0;
    cut(1'b1);
    phase(PHASE_UNKEYED);
    send_keys(0);
    phase(PHASE_RESTARTED);
    for (i = 0; i < USED; i = i + 1)
      erase_key(i);

    for (i = FIRST_STEADY; i < ALONE; i = i + 1)
      if (first_out[i] - first_out[i - 1] != INTERVAL)
        fail("sectors not at the stated distance");
    pins = last_out[ALONE] - alone_in;
    if (pins != LATENCY + OVERHEAD)
      fail("not the stated latency");
`ifdef MODELOOM_ASSERT
    if (dut.rules.errors != 0)
      fail("the assertions of the core found errors");
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
