    // The host takes no results until no more sectors enter. Then all streams pause at random.
    hold_data = 1'b1;
    limit = PHASE_STALLS;
    repeat (LATENCY + OVERHEAD + (PHASE_STALLS - PHASE_WRONG) * INTERVAL) @(negedge aclk);
    pauses = 1'b1;
    hold_data = 1'b0;
    phase(PHASE_STALLS);
    hold_status = 1'b1;
    limit = PHASE_STATUSES;
    repeat (8 * (PHASE_STATUSES - PHASE_STALLS)) @(negedge aclk);
    pauses = 1'b0;
    hold_status = 1'b0;
    phase(PHASE_STATUSES);

    // Other keys, and another one during traffic.
    send_keys(USED);
    phase(PHASE_RENEWED);
    key_state = 0;
    limit = PHASE_RELOAD;
    await_statuses(PHASE_RENEWED + 1);
    send_key(2 * USED);
    phase(PHASE_RELOAD);
    phase(PHASE_RELOADED);

    // Packets that are not keys.
    wrong_key(0, KEY_BEATS, KEY_LAST_KEEP ^ @KEY_KEEP_BITS@'h0001, key_slot[0]);
    wrong_key(0, KEY_BEATS + 1, KEY_LAST_KEEP, key_slot[0]);
    @SHORT_KEY@
    @NO_SLOT@
    @REFUSED@
    phase(PHASE_REFUSED);

    // An erasure of a key during traffic.
    send_key(0);
    key_state = 0;
    limit = PHASE_ERASURE;
    await_statuses(PHASE_REFUSED + 1);
    erase_key(0);
    phase(PHASE_ERASURE);
    phase(PHASE_ERASED);

    // zeroize and reset, during traffic and within a key packet.
    send_keys(0);
    limit = PHASE_ZEROIZE;
    await_statuses(PHASE_ERASED + 1);
    cut(1'b0);
    key_packet(0, 1, @KEY_ALL@, key_slot[0], 1'b0, 1'b0);
    repeat (3) @(negedge aclk);
    cut(1'b0);
    phase(PHASE_ZEROIZED);
    send_keys(0);
    phase(PHASE_STARTED);
    pauses = 1'b1;
    limit = PHASE_RESET;
    await_statuses(PHASE_STARTED + 1);
    pauses = 1'b0;
    cut(1'b1);
    phase(PHASE_UNKEYED);
    send_keys(0);
    phase(PHASE_RESTARTED);
    for (i = 0; i < USED; i = i + 1)
      erase_key(i);

