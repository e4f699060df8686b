text = announced[place(first[c])];
// The beats of text were right: full ones, and then the rest of its bytes.
whole = |(text % BEAT_BYTES) ? sound[place(first[c])] == text : sound[place(first[c])] >= text;
if (@GIVES_TEXT@) begin
  if (text != 64'b0) begin
    if (packets[c] == 0)
      broken("m_axis_status told of a message before the end of its text");
    else if (texts[place(first_out[c])] != text || cuts[place(first_out[c])])
      broken("m_axis gave a text of another length than its command has");
    else begin
      first_out[c] = (first_out[c] + 1) % PACKETS;
      packets[c] = packets[c] - 1;
    end
  end
end else if ((@CUTS_TEXT@) && packets[c] != 0 && text != 64'b0) begin
  // A text whose associated data are wrong has left as a whole, if the core does not hold it.
  if (whole ? @LEAVES@ && !cuts[place(first_out[c])] && texts[place(first_out[c])] == text : cuts[place(first_out[c])]) begin
    first_out[c] = (first_out[c] + 1) % PACKETS;
    packets[c] = packets[c] - 1;
  end
end
