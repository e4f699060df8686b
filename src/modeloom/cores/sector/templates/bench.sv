@include bench_head.sv@
/* verilator lint_off WIDTH */
module @NAME@_tb;

  localparam BEAT_BITS  = @BEAT_BITS@;
  localparam BEAT_BYTES = @BEAT_BYTES@;
  localparam COMMANDS   = @COMMANDS@;
  localparam SENT       = @SENT@;     // total number of beats to the core
  localparam WANTED     = @WANTED@;     // total number of expected beats
  localparam KEYS       = @KEYS@;
  localparam KEY_BEATS  = @KEY_BEATS@;
  localparam SLOTS      = @SLOTS@;
  localparam USED       = @USED@;      // number of slots that get keys

  localparam @KEY_KEEP_RANGE@ KEY_LAST_KEEP = @KEY_LAST_KEEP@;

  // Figures of the datasheet, in cycles.
  localparam INTERVAL     = @INTERVAL@;   // between the first output beats of successive sectors
  localparam LATENCY      = @LATENCY@;   // of the schedule
  localparam OVERHEAD     = @OVERHEAD@;   // of buses and beats; the latency at the pins is LATENCY + OVERHEAD
  localparam OVERLAP      = @OVERLAP@;
  localparam ERASE_CYCLES = @ERASE_CYCLES@;  // zeroizing is high for this long after a request
  localparam LIMIT        = @LIMIT@;

  // Number of commands sent by the end of each phase.
  @PHASES@

  // Numbers of results: the burst, then the sector that is alone in the core.
  localparam FIRST_STEADY = @FIRST_STEADY@;
  localparam ALONE        = PHASE_ALONE - PHASE_EMPTY - 1;
  localparam SENT_BEFORE  = @SENT_BEFORE@;  // number of beats sent before the lone sector

  localparam OK = @OK@, NO_KEY = @NO_KEY@;
  localparam MOST_ERRORS = 20;  // the bench stops at this number

  reg @COMMAND_RANGE@            command   [0:COMMANDS-1];
  reg @CODE_RANGE@              code      [0:COMMANDS-1];
  reg [31:0]             ends      [0:COMMANDS-1];  // number of beats sent by the end of the packet
  reg [31:0]             want_from [0:COMMANDS-1];  // range of its expected beats in "wanted"
  reg [31:0]             want_to   [0:COMMANDS-1];
  reg                    changes   [0:COMMANDS-1];  // the key is erased or replaced meanwhile
  reg [31:0]             renew_to  [0:COMMANDS-1];  // with the new key, the expected beats are want_to to renew_to
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
  integer                first_out [0:COMMANDS-1];   // cycles of the first and the last beat of each result
  integer                last_out  [0:COMMANDS-1];

@include bench_ports.sv@
  integer cycle = 0;
  integer errors = 0;
  integer pins = 0;        // latency of the lone sector at the pins
  integer limit = 0;       // number of commands that may be sent so far
  integer commands = 0;    // number of commands sent
  integer beats_in = 0;
  integer beats_out = 0;
  integer judged = 0;      // number of beats from the core whose status has come
  reg first = 1'b1;        // the next beat from the core is the first of a sector
  integer results = 0;
  integer statuses = 0;
  integer alone_in = 0;    // cycle of the lone sector's first beat
  integer key_state = 0;   // of a slot whose key changes: 0 the old key, 1 no key, 2 the new key
@include bench_host.sv@
  // Results and statuses, each in order. A status comes after the data of its sector, and both are checked then.
  always @(posedge aclk) begin
    if (skip) begin
      statuses = limit;
      judged = beats_out;
      first = 1'b1;
    end
    if (aresetn && m_axis_tvalid !== 1'b0 && m_axis_tready) begin
      if (beats_out == WANTED)
        fail("unexpected data");
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
        fail("unexpected status");
      else begin
        judge;
        statuses = statuses + 1;
      end
    end
  end

@include bench_fail.sv@
  // Prints the last line and ends the simulation.
  task report;
    begin
      if (errors != 0) begin
        $display("modeloom-bench: FAIL @NAME@: %0d errors%0s, interval=%0d latency_pins=%0d", errors,
                 errors == MOST_ERRORS ? " and stopped" : "", first_out[ALONE - 1] - first_out[ALONE - 2], pins);
        $fatal(1, "%0d errors", errors);
      end else begin
        $display("modeloom-bench: @NAME@ ok sectors=%0d cycles_per_sector=%0d interval=%0d latency=%0d latency_pins=%0d",
                 results, OVERLAP ? first_out[ALONE - 1] - first_out[ALONE - 2] : pins - OVERHEAD,
                 first_out[ALONE - 1] - first_out[ALONE - 2], pins - OVERHEAD, pins);
        $finish;
      end
    end
  endtask

  // Whether the oldest beats that have not been checked are the expected ones.
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

  // Checks the status on the bus and the data before it.
  task judge;
    reg @CODE_RANGE@ said;
    begin
      said = m_axis_status_tdata@STATUS_CODE@;
      if ({m_axis_status_tdata@STATUS_REST@, m_axis_status_tdata@STATUS_TAG@} !== {@REST_BITS@'b0, command[statuses]@COMMAND_TAG@})
        fail("wrong status or wrong order");
      if (!changes[statuses]) begin
        if (said !== code[statuses])
          fail("wrong status or wrong order");
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
          fail("wrong status or wrong order");
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

@include bench_keys.sv@
@include bench_begin.sv@
    phase(PHASE_EMPTY);
    send_keys(0);
    phase(PHASE_BURST);@LEFT@
    phase(PHASE_ALONE);
    phase(PHASE_WRONG);

@include bench_phases.sv@
    for (i = FIRST_STEADY; i < ALONE; i = i + 1)
      if (first_out[i] - first_out[i - 1] != INTERVAL)
        fail("interval of sectors is not as stated");
    pins = last_out[ALONE] - alone_in;
    if (pins != LATENCY + OVERHEAD)
      fail("latency is not as stated");
@include bench_end.sv@
