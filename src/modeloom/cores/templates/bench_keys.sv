  // Waits until a number of statuses have come.
  task await_statuses;
    input integer count;
    begin
      while (statuses < count)
        @(negedge aclk);
    end
  endtask

  // Sends the commands up to a number and waits until the core is idle again.
  task phase;
    input integer last;
    begin
      limit = last;
      await_statuses(last);
      repeat (2 * INTERVAL + 64)
        @(negedge aclk);
      if (judged != beats_out)
        fail("unexpected data");
    end
  endtask

  // Sends a key packet and waits until the core is done with it, unless told otherwise. A packet with "erase" erases the slot.
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
      key_packet(number, @BEATS_OF@, @LAST_OF@, key_slot[number], 1'b0, 1'b1);
      if (key_error !== 1'b0 || key_loaded@OF_KEY@ !== 1'b1)
        fail("key not taken");
    end
  endtask

  task erase_key;
    input integer number;
    begin
      key_packet(number, 1, @KEY_ALL@, key_slot[number], 1'b1, 1'b1);
      if (key_error !== 1'b0 || key_loaded@OF_KEY@ !== 1'b0)
        fail("key not erased");
    end
  endtask

  // Sends a packet that the core must refuse.
  task wrong_key;
    input integer number;
    input integer beats;
    input @KEY_KEEP_RANGE@ last_keep;
    input @SLOT_RANGE@ slot;
    begin
      key_packet(number, beats, last_keep, slot, 1'b0, 1'b1);
      if (key_error !== 1'b1)
        fail("wrong key packet was not refused");
      if (slot < SLOTS && key_loaded@OF_SLOT@ !== 1'b0)
        fail("key loaded from a wrong packet");
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

  // Aborts all work with zeroize or with a reset of one cycle. The remaining commands up to the limit are not sent.
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
          fail("a bus is active during an erasure");
      end
      if (erased != ERASE_CYCLES)
        fail("erasure does not take the stated cycles");
      if (key_loaded !== {@FLAGS@{1'b0}})
        fail("a key was not erased");
      halt = 1'b0;
      skip = 1'b0;
    end
  endtask

