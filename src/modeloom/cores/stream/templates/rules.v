@include rules_top.v@
module @NAME@_rules (
    input wire aclk,
    input wire aresetn,
    @PORTS@
);

  localparam BEAT_BYTES   = @BEAT_BYTES@;
  localparam CHANNELS     = @TIDS@;    // values of tid
  localparam SLOTS        = @SLOTS@;
  localparam IN_FLIGHT    = @IN_FLIGHT@;    // most commands of a channel without a status
  localparam PACKETS      = @PACKETS@;    // most packets of a channel without a status
  localparam ERASE_CYCLES = @ERASE_CYCLES@;
  localparam PATIENCE     = @PATIENCE@;    // cycles in which a status comes if nothing waits for the host

  // Bits of a command that the core reads.
  localparam @COMMAND_RANGE@ COMMAND_READ = @COMMAND_READ@;

@include rules_head.v@
@include rules_ones.v@
  integer key_beats = 0;      // beats of the packet on s_axis_key so far
  reg     key_erases = 1'b0;
  reg @SLOT_RANGE@ key_slot = @SLOT_BITS@'b0;
  reg     key_wrong = 1'b0;
  // For each channel: bytes so far of the packets on s_axis and m_axis.
  reg [63:0] length     [0:CHANNELS-1];
  reg [63:0] length_out [0:CHANNELS-1];
  // Rings of each channel: commands, packets in, packets out; "first" are those of the oldest command without a status.
  reg @TAG_RANGE@ tags       [0:CHANNELS*PACKETS-1];
  reg [63:0] associated [0:CHANNELS*PACKETS-1];
  reg [63:0] lengths    [0:CHANNELS*PACKETS-1];
  reg [63:0] texts      [0:CHANNELS*PACKETS-1];
  reg        cuts       [0:CHANNELS*PACKETS-1];@RINGS@
  integer commands   [0:CHANNELS-1];  // taken, without a status yet
  integer packets_in [0:CHANNELS-1];  // taken, without a status yet
  integer packets    [0:CHANNELS-1];  // given on m_axis, without a status yet
  integer first      [0:CHANNELS-1];
  integer first_out  [0:CHANNELS-1];
  integer all_commands = 0;   // of all channels
  integer all_packets = 0;
  integer c;
  integer waited = 0;
  integer erasing = 0;        // cycles since the last request
  reg     erased = 1'b0;
  reg @CODE_RANGE@ code;
  reg [63:0] text;

  // Forgets all commands and packets.
  task forget;
    begin
      all_commands = 0;
      all_packets = 0;
      for (c = 0; c < CHANNELS; c = c + 1) begin
        length[c] = 64'b0;
        length_out[c] = 64'b0;
        packets[c] = 0;
        packets_in[c] = 0;
        commands[c] = 0;
        first[c] = 0;
        first_out[c] = 0;
      end
    end
  endtask

  // The place of an entry in the rings of channel c.
  function integer place;
    input integer number;
    place = c * PACKETS + number % PACKETS;
  endfunction

  initial forget;

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

      if (quiet && s_axis_tvalid && s_axis_tready@OWN_BEAT@) begin
        c = @CHANNEL_IN@;
        length[c] = length[c] + ones(s_axis_tkeep);
        if (!counts(s_axis_tkeep) && (|s_axis_tkeep || !s_axis_tlast))
          refused("s_axis_tkeep is not ones from bit 0 on");
        if (s_axis_tlast) begin
          if (packets_in[c] == PACKETS)
            broken("s_axis took more packets than it gives statuses for");
          else begin
            lengths[place(first[c] + packets_in[c])] = length[c];
            packets_in[c] = packets_in[c] + 1;
            all_packets = all_packets + 1;
          end
          length[c] = 64'b0;
        end
      end

@include rules_keys.v@
      if (quiet && s_axis_cmd_tvalid && s_axis_cmd_tready) begin
        c = @CHANNEL_OF_COMMAND@;
        if (commands[c] == IN_FLIGHT)
          broken("s_axis_cmd took more commands than it gives statuses for");
        else begin
          tags[place(first[c] + commands[c])] = s_axis_cmd_tdata@COMMAND_TAG@;
          associated[place(first[c] + commands[c])] = s_axis_cmd_tdata@COMMAND_FIRST@;@RINGED@
          commands[c] = commands[c] + 1;
          all_commands = all_commands + 1;@FOREIGN_COMMAND@
        end
      end

      if (quiet && m_axis_tvalid && m_axis_tready) begin
        c = @CHANNEL_OUT@;
        length_out[c] = length_out[c] + ones(m_axis_tkeep);
        if (m_axis_tlast) begin
          if (packets[c] == PACKETS || packets[c] >= commands[c])
            broken("m_axis gave a packet that no command asked for");
          else begin
            texts[place(first_out[c] + packets[c])] = length_out[c];
            cuts[place(first_out[c] + packets[c])] = m_axis_tuser;
            packets[c] = packets[c] + 1;
          end
          length_out[c] = 64'b0;
        end
      end

      if (quiet && m_axis_status_tvalid && m_axis_status_tready) begin
        code = m_axis_status_tdata@STATUS_CODE@;
        c = @CHANNEL_OF_STATUS@;
        if (commands[c] == 0)
          broken("m_axis_status gave a status without a command");
        else if (packets_in[c] == 0)
          broken("m_axis_status gave a status before the end of the packet");
        else begin
          if (m_axis_status_tdata@STATUS_TAG@ != tags[place(first[c])])
            broken("m_axis_status gave another id than that of the oldest command");
          @PACKET_RULES@
          first[c] = (first[c] + 1) % PACKETS;
          commands[c] = commands[c] - 1;
          all_commands = all_commands - 1;
          packets_in[c] = packets_in[c] - 1;
          all_packets = all_packets - 1;
        end
        if (code != @CODE_OK@ && |m_axis_status_tdata@SEALED_TAG@)
          broken("m_axis_status gave a tag for a message that failed");
        case (code)
          @CODE_BITS@'d0: ;
          @CODES@
          default: broken("m_axis_status gave an unknown code");
        endcase
      end

      // A status comes, if a packet is there for each command, no key is being worked on and the host takes what there is.
      if (!quiet || all_commands == 0 || all_packets < all_commands || key_busy !== 1'b0 || s_axis_key_tvalid !== 1'b0 || m_axis_tvalid !== 1'b0
          || m_axis_status_tvalid !== 1'b0)
        waited = 0;
      else if (waited <= PATIENCE) begin
        waited = waited + 1;
        if (waited > PATIENCE)
          broken("m_axis_status gives no status");
      end

@include rules_erasure.v@
      if (!quiet) begin
        key_beats = 0;
        forget;
      end
    end
@include rules_end.v@
