/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encrypts sectors in the RAM of the SoC with the core behind DMA, compares them with what sectors.py has computed, decrypts them again,
 * and erases the key, which the core then refuses to use. The last line is PASS or FAIL, and is the exit status, too.
 */
#include "console.h"
#include "example.h"
#include "transfer.h"

enum { NO_KEY = 4, FILL = 0xa5, BYTES = SECTORS * SECTOR_BYTES, SLOT = 0 };

/* Puts data into the source, and a pattern where results will be. */
static void fill(const uint8_t *data)
{
    unsigned at;

    for (at = 0; at < BYTES; at++) {
        source[at] = data[at];
        result[at] = FILL;
    }
}

/* Whether all results are these bytes; without them, whether the pattern is still there. */
static int is_there(const uint8_t *data)
{
    unsigned at;

    for (at = 0; at < BYTES; at++)
        if (result[at] != (data ? data[at] : FILL))
            return 0;
    return 1;
}

/* Makes the commands of sectors, with the numbers 0, 1, .... */
static void prepare(const struct modeloom *core, unsigned sectors, int decrypt)
{
    unsigned at;

    for (at = 0; at < sectors; at++) {
        struct modeloom_sector sector = {TWEAKS[at], TWEAK_BYTES, (uint16_t)at, SLOT, 0, decrypt};

        require(modeloom_sector_command(command_place(core, at), &sector) == MODELOOM_OK, "a command has no such tweak");
    }
}

static void is_ok(unsigned at, const struct status *status)
{
    (void)at;
    require(status->code == 0, "a status has another code");
}

static void is_refused(unsigned at, const struct status *status)
{
    (void)at;
    require(status->code == NO_KEY, "a status has another code");
}

/* Sends all sectors through the core, and compares the results. */
static void run(struct modeloom *core, int decrypt)
{
    const struct transfer all = {SECTORS, BYTES, BYTES, is_ok};
    struct cost cost;

    fill(decrypt ? CIPHER : PLAIN);
    prepare(core, SECTORS, decrypt);
    cost = transfer(core, &all);
    text(decrypt ? "decrypted " : "encrypted ");
    number(SECTORS);
    text(" sectors of ");
    number(SECTOR_BYTES);
    tell_cost(&cost, SECTORS, "sector");
    if (decrypt)
        require(is_there(PLAIN), "the plaintext did not come back");
    else
        require(is_there(CIPHER), "the ciphertext is not what the model has");
}

int main(void)
{
    const struct transfer refused = {1, SECTOR_BYTES, 0, is_refused};
    struct modeloom core;

    open_core(&core, MODE);
    load_key(&core, SLOT, KEY, sizeof KEY);
    if (core.encrypts)
        run(&core, 0);
    if (core.decrypts)
        run(&core, 1);
    erase_key(&core, SLOT);
    fill(PLAIN);
    prepare(&core, 1, !core.encrypts);
    transfer(&core, &refused);
    require(is_there(NULL), "the core gave data without a key");
    text("erased key: the core refuses a sector with status 4, and gives no data\n");
    text("PASS\n");
    return 0;
}
