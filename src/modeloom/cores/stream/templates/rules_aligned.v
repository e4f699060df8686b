text = lengths[place(first[c])] - associated[place(first[c])];
if (@GIVES_TEXT@) begin
  if (@HAS_TEXT@text != 64'b0) begin
    if (packets[c] == 0)
      broken("m_axis_status told of a message before the end of its text");
    else if (texts[place(first_out[c])] != text || cuts[place(first_out[c])])
      broken("m_axis gave a text of another length than came in");
    else begin
      first_out[c] = (first_out[c] + 1) % PACKETS;
      packets[c] = packets[c] - 1;
    end
  end
end else if (@HAS_TEXT@(@CUTS_TEXT@) && packets[c] != 0 && cuts[place(first_out[c])]) begin
  first_out[c] = (first_out[c] + 1) % PACKETS;
  packets[c] = packets[c] - 1;
end
