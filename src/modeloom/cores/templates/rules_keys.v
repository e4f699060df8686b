      if (quiet && s_axis_key_tvalid && s_axis_key_tready) begin
        if (key_beats == 0) begin
          key_slot = s_axis_key_tdest;
          key_erases = s_axis_key_tuser;
          key_wrong = 1'b0;
          if ({24'b0, key_slot} >= SLOTS)
            refused("s_axis_key_tdest is not a key slot");
        end else if (s_axis_key_tdest != key_slot || s_axis_key_tuser != key_erases)
          broken("s_axis_key_tdest or s_axis_key_tuser changed in a packet");
        key_beats = key_beats + 1;
        if (!key_erases && !key_wrong
            && (@KEY_WRONG@)) begin
          key_wrong = 1'b1;
          refused("s_axis_key: the packet does not have the length of a key");
        end
        if (s_axis_key_tlast)
          key_beats = 0;
      end

