  reg pauses = 1'b0;       // pause all streams at random
  reg hold_data = 1'b0;    // take no results
  reg hold_status = 1'b0;  // take no statuses
  reg skip = 1'b0;         // drop all work in progress and continue after the limit
  reg [31:0] random = 32'h4d4c6f6d;
  wire pause_cmd = pauses && random[1:0] != 2'b0, pause_data = pauses && random[4:3] == 2'b0, pause_take = pauses && random[7];
  integer end_of_data;

  // The host offers commands and data as fast as the core takes them, or with pauses. It never withdraws a beat.
  always @(posedge aclk) begin
    cycle <= cycle + 1;
    random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
    if (cycle == LIMIT) begin
      $display("modeloom-bench: FAIL @NAME@: not finished after %0d cycles (%0d of %0d statuses)", cycle, statuses, COMMANDS);
      $fatal(1, "not finished");
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
        s_axis_tlast <= sent_last[beats_in];@MORE_SENT@
      end
    end
    take_data <= !hold_data && !pause_take;
    take_status <= !hold_status && !(pauses && random[9]);
  end

