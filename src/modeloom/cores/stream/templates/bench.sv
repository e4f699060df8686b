@include bench_head.sv@
/* verilator lint_off WIDTH */
module @NAME@_tb;

  localparam BEAT_BITS  = @BEAT_BITS@;
  localparam BEAT_BYTES = @BEAT_BYTES@;
  localparam COMMANDS   = @COMMANDS@;
  localparam SENT       = @SENT@;     // beats to the core, in all
  localparam WANTED     = @WANTED@;     // beats that may come from the core, in all
  localparam KEYS       = @KEYS@;
  localparam KEY_BEATS  = @KEY_BEATS@;        // of the longest key
  localparam SLOTS      = @SLOTS@;
  localparam USED       = @USED@;        // slots that get keys

  localparam @KEY_KEEP_RANGE@ KEY_LAST_KEEP = @KEY_LAST_KEEP@;  // of that key

  // What the datasheet states, in cycles.
  localparam INTERVAL     = @INTERVAL@;   // between the statuses of the messages of the burst
  localparam LATENCY      = @LATENCY@;   // from the first beat of text in to the first one out
  localparam OVERHEAD     = 64;  // amply what statuses take beyond
  localparam ERASE_CYCLES = @ERASE_CYCLES@;  // of zeroizing after a request
  localparam LIMIT        = @LIMIT@;

  // Commands sent by the end of each phase.
  @PHASES@

  localparam FIRST_STEADY = (PHASE_EMPTY + PHASE_BURST) / 2;
  localparam ALONE        = PHASE_ALONE - 1;
  localparam SENT_BEFORE  = @SENT_BEFORE@;  // beats sent before the lone message

  localparam OK = @OK@, NO_KEY = @NO_KEY@;
  localparam MOST_ERRORS = 20;  // ends the bench

  reg @COMMAND_RANGE@            command   [0:COMMANDS-1];
  reg @CODE_RANGE@              code      [0:COMMANDS-1];
  reg @SEALED_RANGE@            tag       [0:COMMANDS-1];
  reg [31:0]             ends      [0:COMMANDS-1];  // beats sent by the end of each command's packet
  reg [31:0]             want_from [0:COMMANDS-1];  // its beats among those wanted
  reg [31:0]             want_to   [0:COMMANDS-1];
  reg                    changes   [0:COMMANDS-1];  // the key changes meanwhile, to none or to that of the following
  reg @CODE_RANGE@              renew_code [0:COMMANDS-1];
  reg @SEALED_RANGE@            renew_tag [0:COMMANDS-1];
  reg [31:0]             renew_to  [0:COMMANDS-1];  // its beats follow those of the old key
  reg [BEAT_BITS-1:0]    sent      [0:SENT-1];
  reg [BEAT_BYTES-1:0]   sent_keep [0:SENT-1];
  reg                    sent_last [0:SENT-1];@CHANNEL_ARRAYS@
  reg [BEAT_BITS-1:0]    wanted    [0:WANTED-1];
  reg [BEAT_BYTES-1:0]   wanted_keep [0:WANTED-1];
  reg [BEAT_BITS-1:0]    given     [0:WANTED-1];    // beats from the core
  reg [BEAT_BYTES-1:0]   given_keep [0:WANTED-1];
  reg                    given_last [0:WANTED-1];
  reg                    given_cut [0:WANTED-1];
  reg @KEY_RANGE@            key       [0:KEYS*KEY_BEATS-1];
  reg @SLOT_RANGE@              key_slot  [0:KEYS-1];
  integer                key_beats [0:KEYS-1];
  reg @KEY_KEEP_RANGE@             key_last  [0:KEYS-1];
  integer                told_at   [0:COMMANDS-1];   // cycles of the statuses

@include bench_ports.sv@
  integer cycle = 0;
  integer errors = 0;
  integer limit = 0;       // commands that may be sent by now
  integer commands = 0;    // sent
  integer beats_in = 0;
  integer beats_out = 0;
  integer judged = 0;      // beats from the core whose status has come
  integer results = 0;     // packets of text
  integer statuses = 0;
  integer alone_in = 0;    // cycles of the lone message's beat, in and out
  integer alone_out = 0;
  integer key_state = 0;   // of a slot whose key changes: 0 as it was, 1 none, 2 the new one
@include bench_host.sv@
  // Text and statuses, each in order; a status comes after the text of its message, and is judged with it.
  always @(posedge aclk) begin
    if (skip) begin
      statuses = limit;
      judged = beats_out;
    end
    if (aresetn && m_axis_tvalid !== 1'b0 && m_axis_tready) begin
      if (beats_out == WANTED)
        fail("data that nobody asked for");
      else begin
        given[beats_out] = m_axis_tdata;
        given_keep[beats_out] = m_axis_tkeep;
        given_last[beats_out] = m_axis_tlast;
        given_cut[beats_out] = m_axis_tuser;@CHANNEL_GIVEN@
        if (statuses == ALONE@ALONE_BEAT@)
          alone_out = cycle;
        if (m_axis_tlast)
          results = results + 1;
        beats_out = beats_out + 1;
      end
    end
    if (aresetn && m_axis_status_tvalid !== 1'b0 && m_axis_status_tready) begin
      if (statuses == COMMANDS)
        fail("a status that nobody asked for");
      else begin
        told_at[statuses] = cycle;
        judge;
        statuses = statuses + 1;
      end
    end
  end

@include bench_fail.sv@
  // The last line, and the end.
  task report;
    begin
      if (errors != 0) begin
        $display("modeloom-bench: FAIL @NAME@: %0d errors%0s, cycles_per_message=%0d latency=%0d", errors,
                 errors == MOST_ERRORS ? " and no further look" : "", @DISTANCE@,
                 alone_out - alone_in);
        $fatal(1, "%0d errors", errors);
      end else begin
        $display("modeloom-bench: @NAME@ ok messages=%0d cycles_per_message=%0d latency=%0d", COMMANDS,
                 @DISTANCE@, alone_out - alone_in);
        $finish;
      end
    end
  endtask

  // Whether the oldest beats that have not been judged are those wanted; the last one has no bytes if the packet was cut off.
  function same;
    input integer from;
    input integer to;
    integer at;
    begin
      same = judged + to - from <= beats_out;
      for (at = 0; same && at < to - from; at = at + 1)
        same = given[judged + at] === wanted[from + at] && given_keep[judged + at] === wanted_keep[from + at]
               && given_last[judged + at] === (at == to - from - 1)
               && given_cut[judged + at] === (@CUT_WANTED@)@CHANNEL_SAME@;
    end
  endfunction

  // The status on the bus, and the text before it.
  task judge;
    reg @CODE_RANGE@ said;
    reg @SEALED_RANGE@ sealed;
    begin
      said = m_axis_status_tdata@STATUS_CODE@;
      sealed = m_axis_status_tdata@SEALED_TAG@;
      if ({m_axis_status_tdata@STATUS_REST@, m_axis_status_tdata@STATUS_TAG@} !== {@REST_WANTED@, command[statuses]@COMMAND_TAG@})
        fail("wrong status or order");
      if (!changes[statuses]) begin
        if (said !== code[statuses])
          fail("wrong status or order");
        else if (sealed !== tag[statuses])
          fail("wrong tag");
        else if (!same(want_from[statuses], want_to[statuses]))
          fail("wrong text");
        judged = judged + (want_to[statuses] - want_from[statuses]);
      end else if (said === NO_KEY) begin
        if (key_state == 2)
          fail("a key was lost");
        key_state = 1;@KEYLESS@
      end else begin
        if (key_state == 0 && said === code[statuses] && sealed === tag[statuses] && same(want_from[statuses], want_to[statuses]))
          key_state = 0;
        else if (said === renew_code[statuses] && sealed === renew_tag[statuses] && same(want_to[statuses], renew_to[statuses]))
          key_state = 2;
        else
          fail("wrong result while a key changed");
        judged = judged + (want_to[statuses] - want_from[statuses]);
      end
    end
  endtask

@include bench_keys.sv@
@include bench_begin.sv@
    phase(PHASE_EMPTY);
    send_keys(0);
    phase(PHASE_BURST);
    phase(PHASE_ALONE);
    phase(PHASE_LENGTHS);
    phase(PHASE_WRONG);

@include bench_phases.sv@
    @PACE_CHECK@
    @LATENCY_CHECK@
@include bench_end.sv@
