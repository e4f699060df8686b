  reg aclk = 1'b0;
  reg aresetn = 1'b0;
  reg zeroize = 1'b0;
  reg halt = 1'b1;         // the host sends and takes nothing, as in a reset

  reg                    cmd_tvalid = 1'b0;
  wire                   s_axis_cmd_tvalid = cmd_tvalid && !halt;
  wire                   s_axis_cmd_tready;
  reg  @COMMAND_RANGE@           s_axis_cmd_tdata = @COMMAND_BITS@'b0;
  reg                    data_tvalid = 1'b0;
  wire                   s_axis_tvalid = data_tvalid && !halt;
  wire                   s_axis_tready;
  reg  [BEAT_BITS-1:0]   s_axis_tdata = {BEAT_BITS{1'b0}};
  reg  [BEAT_BYTES-1:0]  s_axis_tkeep = {BEAT_BYTES{1'b0}};
  reg                    s_axis_tlast = 1'b0;
  wire                   m_axis_tvalid;
  reg                    take_data = 1'b0;
  wire                   m_axis_tready = take_data && !halt;
  wire [BEAT_BITS-1:0]   m_axis_tdata;
  wire [BEAT_BYTES-1:0]  m_axis_tkeep;
  wire                   m_axis_tlast;@MORE_WIRES@
  wire                   m_axis_status_tvalid;
  reg                    take_status = 1'b0;
  wire                   m_axis_status_tready = take_status && !halt;
  wire @STATUS_RANGE@            m_axis_status_tdata;
  reg                    s_axis_key_tvalid = 1'b0;
  wire                   s_axis_key_tready;
  reg  @KEY_RANGE@           s_axis_key_tdata = @KEY_BITS@'b0;
  reg  @KEY_KEEP_RANGE@            s_axis_key_tkeep = @KEY_KEEP_BITS@'b0;
  reg                    s_axis_key_tlast = 1'b0;
  reg  @SLOT_RANGE@             s_axis_key_tdest = @SLOT_BITS@'b0;
  reg                    s_axis_key_tuser = 1'b0;
  wire [@FLAGS@-1:0]       key_loaded;
  wire                   key_busy;
  wire                   key_error;
  wire                   zeroizing;

  @NAME@ dut (
    .aclk(aclk),
    .aresetn(aresetn),
    .zeroize(zeroize),
    .zeroizing(zeroizing),
    .s_axis_cmd_tvalid(s_axis_cmd_tvalid),
    .s_axis_cmd_tready(s_axis_cmd_tready),
    .s_axis_cmd_tdata(s_axis_cmd_tdata),
    .s_axis_tvalid(s_axis_tvalid),
    .s_axis_tready(s_axis_tready),
    .s_axis_tdata(s_axis_tdata),
    .s_axis_tkeep(s_axis_tkeep),
    .s_axis_tlast(s_axis_tlast),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready),
    .m_axis_tdata(m_axis_tdata),
    .m_axis_tkeep(m_axis_tkeep),
    .m_axis_tlast(m_axis_tlast),@MORE_PINS@
    .m_axis_status_tvalid(m_axis_status_tvalid),
    .m_axis_status_tready(m_axis_status_tready),
    .m_axis_status_tdata(m_axis_status_tdata),
    .s_axis_key_tvalid(s_axis_key_tvalid),
    .s_axis_key_tready(s_axis_key_tready),
    .s_axis_key_tdata(s_axis_key_tdata),
    .s_axis_key_tkeep(s_axis_key_tkeep),
    .s_axis_key_tlast(s_axis_key_tlast),
    .s_axis_key_tdest(s_axis_key_tdest),
    .s_axis_key_tuser(s_axis_key_tuser),
    .key_loaded(key_loaded),
    .key_busy(key_busy),
    .key_error(key_error)
  );

  always #5 aclk = ~aclk;

