  function integer ones;
    input [BEAT_BYTES-1:0] keep;
    integer b;
    begin
      ones = 0;
      for (b = 0; b < BEAT_BYTES; b = b + 1)
        ones = ones + {31'b0, keep[b]};
    end
  endfunction

