text = lengths[first] - associated[first];
if (@GIVES_TEXT@) begin
  if (text != 64'b0) begin
    if (packets == 0)
      broken("m_axis_status told of a message before the end of its text");
    else if (texts[first_out] != text || cuts[first_out])
      broken("m_axis gave a text of another length than came in");
    else begin
      first_out = (first_out + 1) % IN_FLIGHT;
      packets = packets - 1;
    end
  end
end else if ((code == @CODE_BAD_KEEP@ || code == @CODE_TOO_LONG@) && packets != 0 && cuts[first_out]) begin
  first_out = (first_out + 1) % IN_FLIGHT;
  packets = packets - 1;
end
