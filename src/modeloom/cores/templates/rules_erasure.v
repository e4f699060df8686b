      // During an erasure all outputs are low. It takes the stated number of cycles.
      if (aresetn === 1'b0 || zeroize === 1'b1) begin
        erasing = 0;
        erased = 1'b1;
      end else if (zeroizing === 1'b1)
        erasing = erasing + 1;
      else if (erased) begin
        if (erasing != ERASE_CYCLES)
          broken("zeroizing was not high for the stated number of cycles");
        erased = 1'b0;
      end
      if (zeroizing === 1'b1 && was_zeroizing && |{key_loaded, key_busy, key_error, s_axis_cmd_tready, s_axis_tready, s_axis_key_tready, m_axis_tvalid,
                                                    m_axis_status_tvalid} !== 1'b0)
        broken("an output is not low during an erasure");
      if (key_error === 1'b1 && !was_error)
        refused("key_error: the core refused the packet on s_axis_key");

