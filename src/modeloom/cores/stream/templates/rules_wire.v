// What comes out has a tag where what went in had none, and the other way round.
text = opens[first] ? lengths[first] - tag_bytes[first] : lengths[first] + tag_bytes[first];
if (@LEAVES@) begin
  if (packets == 0)
    broken("m_axis_status told of a message before the end of its packet");
  else begin
    if (cuts[first_out] != (code != @CODE_OK@))
      broken("m_axis_tuser and m_axis_status disagree");
    if ((code == @CODE_OK@ || code == @CODE_WRONG_TAG@) && texts[first_out] != text)
      broken("m_axis gave a packet of another length than came in");
    first_out = (first_out + 1) % IN_FLIGHT;
    packets = packets - 1;
  end
end
