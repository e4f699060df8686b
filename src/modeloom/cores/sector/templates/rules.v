@include rules_top.v@
module @NAME@_rules (
    input wire aclk,
    input wire aresetn,
    @PORTS@
);

  localparam BEAT_BYTES   = @BEAT_BYTES@;
  localparam KEY_BEATS    = @KEY_BEATS@;
  localparam SLOTS        = @SLOTS@;
  localparam IN_FLIGHT    = @IN_FLIGHT@;    // largest number of commands without a status
  localparam ERASE_CYCLES = @ERASE_CYCLES@;
  localparam PATIENCE     = @PATIENCE@;    // a status comes within this many cycles if nothing waits for the host

  localparam @KEY_KEEP_RANGE@ KEY_LAST_KEEP = @KEY_LAST_KEEP@;
  // The bits of a command that the core reads.
  localparam @COMMAND_RANGE@ COMMAND_READ = @COMMAND_READ@;

@include rules_head.v@
  function known_size;
    input integer length;
    known_size = @KNOWN_SIZE@;
  endfunction

@include rules_ones.v@
  integer length = 0;         // bytes of the current packet on s_axis
  reg     malformed = 1'b0;
  integer key_beats = 0;      // beats of the current packet on s_axis_key
  reg     key_erases = 1'b0;
  reg @SLOT_RANGE@ key_slot = @SLOT_BITS@'b0;
  reg     key_wrong = 1'b0;
  integer length_out = 0;     // bytes of the current packet on m_axis
  integer packets = 0;        // packets sent on m_axis that have no status yet
  integer commands = 0;       // commands taken that have no status yet
  integer first = 0;          // index of the oldest one in "tags"
  reg @TAG_RANGE@ tags [0:IN_FLIGHT-1];
  integer sectors_in = 0;     // packets taken minus commands taken
  integer waited = 0;
  integer erasing = 0;        // cycles of zeroizing since the last request
  reg     erased = 1'b0;

  always @(posedge aclk) begin
    cycle = cycle + 1;
    if (!running)
      running = aresetn === 1'b0 || quiet;
    if (running) begin
      if (^{aresetn, zeroize} === 1'bx)
        broken("aresetn or zeroize is unknown");
      @INPUT_RULES@
      @OUTPUT_RULES@
      // The host must drive both in each cycle.
      if (quiet && (m_axis_tready ^ m_axis_status_tready) === 1'bx)
        broken("m_axis_tready or m_axis_status_tready is unknown");

      if (quiet && s_axis_tvalid && s_axis_tready) begin
        length = length + ones(s_axis_tkeep);
        if (s_axis_tlast ? !counts(s_axis_tkeep) : !(&s_axis_tkeep)) begin
          malformed = 1'b1;
          refused(s_axis_tlast ? "s_axis_tkeep is not ones from bit 0 on in the last beat" : "s_axis_tkeep is not all ones before the last beat");
        end
        if (s_axis_tlast) begin
          if (!malformed && !known_size(length))
            refused("s_axis: the length of the packet is not a sector size");
          length = 0;
          malformed = 1'b0;
          sectors_in = sectors_in + 1;
        end
      end

@include rules_keys.v@
      if (quiet && s_axis_cmd_tvalid && s_axis_cmd_tready) begin
        if (commands == IN_FLIGHT)
          broken("m_axis_status: too many commands have no status");
        else
          tags[(first + commands) % IN_FLIGHT] = s_axis_cmd_tdata@COMMAND_TAG@;
        commands = commands + 1;
        sectors_in = sectors_in - 1;
      end

      if (quiet && m_axis_tvalid && m_axis_tready) begin
        length_out = length_out + ones(m_axis_tkeep);
        if (m_axis_tlast) begin
          packets = packets + 1;
          if (!known_size(length_out))
            broken("m_axis: the length of the packet is not a sector size");
          if (packets > commands)
            broken("m_axis: there is no command for this sector");
          length_out = 0;
        end
      end

      if (quiet && m_axis_status_tvalid && m_axis_status_tready) begin
        if (commands == 0)
          broken("m_axis_status: there is no command for this status");
        else begin
          if (m_axis_status_tdata@STATUS_TAG@ != tags[first])
            broken("m_axis_status: the tag is not that of the oldest command");
          first = (first + 1) % IN_FLIGHT;
          commands = commands - 1;
        end
        if (m_axis_status_tdata@STATUS_CODE@ == @CODE_BITS@'d0) begin
          if (packets == 0)
            broken("m_axis_status: the status OK came before the data of the sector");
          else
            packets = packets - 1;
        end
        case (m_axis_status_tdata@STATUS_CODE@)
          @CODE_BITS@'d0: ;
          @CODES@
          default: broken("m_axis_status: unknown code");
        endcase
      end

      // A status must come if each command has a packet, no key packet is in progress, and the host takes all results and statuses.
      if (!quiet || commands == 0 || sectors_in < 0 || key_busy !== 1'b0 || s_axis_key_tvalid !== 1'b0 || m_axis_tvalid !== 1'b0
          || m_axis_status_tvalid !== 1'b0)
        waited = 0;
      else if (waited <= PATIENCE) begin
        waited = waited + 1;
        if (waited > PATIENCE)
          broken("m_axis_status: an expected status did not come");
      end

@include rules_erasure.v@
      if (!quiet) begin
        length = 0;
        malformed = 1'b0;
        key_beats = 0;
        length_out = 0;
        packets = 0;
        commands = 0;
        first = 0;
        sectors_in = 0;
      end
    end
@include rules_end.v@
