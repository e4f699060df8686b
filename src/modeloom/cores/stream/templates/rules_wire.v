// What comes out has a tag where what went in had none, and the other way round.
text = opens[place(first[c])] ? lengths[place(first[c])] - tag_bytes[place(first[c])] : lengths[place(first[c])] + tag_bytes[place(first[c])];
if (@LEAVES@) begin
  if (packets[c] == 0)
    broken("m_axis_status told of a message before the end of its packet");
  else begin
    if (cuts[place(first_out[c])] != (code != @CODE_OK@))
      broken("m_axis_tuser and m_axis_status disagree");
    if ((code == @CODE_OK@ || code == @CODE_WRONG_TAG@) && texts[place(first_out[c])] != text)
      broken("m_axis gave a packet of another length than came in");
    first_out[c] = (first_out[c] + 1) % PACKETS;
    packets[c] = packets[c] - 1;
  end
end
