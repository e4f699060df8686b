`ifdef MODELOOM_ASSERT

// Watches the ports of @NAME@ in simulation, with +define+MODELOOM_ASSERT (-DMODELOOM_ASSERT).
//
// "modeloom-assert: error" breaks a rule of AXI4-Stream or a promise of the core; the name of the port begins the message, and a port
// s_axis_* or an input is the host's. "modeloom-assert: warning" is what the core refuses with a status or with key_error. With
// MODELOOM_ASSERT_FATAL the first error ends the simulation. Simulators with two states find no unknown bits.
/* verilator lint_off WIDTH */
/* verilator lint_off BLKSEQ */
/* verilator lint_off UNUSED */
module @NAME@_rules (
    input wire aclk,
    input wire aresetn,
    @PORTS@
);

  localparam BEAT_BYTES   = @BEAT_BYTES@;
  localparam KEY_BEATS    = @KEY_BEATS@;
  localparam SLOTS        = @SLOTS@;
  localparam IN_FLIGHT    = @IN_FLIGHT@;    // most commands without a status
  localparam ERASE_CYCLES = @ERASE_CYCLES@;
  localparam PATIENCE     = @PATIENCE@;    // cycles in which a status comes if nothing waits for the host

  localparam @KEY_KEEP_RANGE@ KEY_LAST_KEEP = @KEY_LAST_KEEP@;
  // Bits of a command that the core reads.
  localparam @COMMAND_RANGE@ COMMAND_READ = @COMMAND_READ@;

@include rules_head.v@
  function known_size;
    input integer length;
    known_size = @KNOWN_SIZE@;
  endfunction

@include rules_ones.v@
  integer length = 0;         // bytes of the packet on s_axis so far
  reg     malformed = 1'b0;
  integer key_beats = 0;      // beats of the packet on s_axis_key so far
  reg     key_erases = 1'b0;
  reg @SLOT_RANGE@ key_slot = @SLOT_BITS@'b0;
  reg     key_wrong = 1'b0;
  integer length_out = 0;     // bytes of the packet on m_axis so far
  integer packets = 0;        // given on m_axis, without a status yet
  integer commands = 0;       // taken, without a status yet
  integer first = 0;          // place of the oldest of them
  reg @TAG_RANGE@ tags [0:IN_FLIGHT-1];
  integer sectors_in = 0;     // packets taken less commands taken
  integer waited = 0;
  integer erasing = 0;        // cycles since the last request
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
      // Both of a host's outputs are inputs of the core in each cycle, whether it looks at them or not.
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
            refused("s_axis gave a packet that is no sector long");
          length = 0;
          malformed = 1'b0;
          sectors_in = sectors_in + 1;
        end
      end

@include rules_keys.v@
      if (quiet && s_axis_cmd_tvalid && s_axis_cmd_tready) begin
        if (commands == IN_FLIGHT)
          broken("s_axis_cmd took more commands than it gives statuses for");
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
            broken("m_axis gave a packet that is no sector long");
          if (packets > commands)
            broken("m_axis gave a sector that no command asked for");
          length_out = 0;
        end
      end

      if (quiet && m_axis_status_tvalid && m_axis_status_tready) begin
        if (commands == 0)
          broken("m_axis_status gave a status without a command");
        else begin
          if (m_axis_status_tdata@STATUS_TAG@ != tags[first])
            broken("m_axis_status gave another tag than that of the oldest command");
          first = (first + 1) % IN_FLIGHT;
          commands = commands - 1;
        end
        if (m_axis_status_tdata@STATUS_CODE@ == @CODE_BITS@'d0) begin
          if (packets == 0)
            broken("m_axis_status said OK before the data of the sector");
          else
            packets = packets - 1;
        end
        case (m_axis_status_tdata@STATUS_CODE@)
          @CODE_BITS@'d0: ;
          @CODES@
          default: broken("m_axis_status gave an unknown code");
        endcase
      end

      // A status comes, if a packet is there for each command, no key is being worked on and the host takes what there is.
      if (!quiet || commands == 0 || sectors_in < 0 || key_busy !== 1'b0 || s_axis_key_tvalid !== 1'b0 || m_axis_tvalid !== 1'b0
          || m_axis_status_tvalid !== 1'b0)
        waited = 0;
      else if (waited <= PATIENCE) begin
        waited = waited + 1;
        if (waited > PATIENCE)
          broken("m_axis_status gives no status");
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
