  integer i;
  reg [8*256-1:0] dump;
  initial begin
    if ($value$plusargs("dump=%s", dump)) begin
      $dumpfile(dump);
      $dumpvars(0, @NAME@_tb);
    end
    vectors;
    repeat (8) @(negedge aclk);
    aresetn = 1'b1;
    halt = 1'b0;
    repeat (4) @(negedge aclk);
