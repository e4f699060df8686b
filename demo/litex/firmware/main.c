/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encrypts sectors in the RAM of the SoC with the core behind DMA, compares them with what sectors.py has computed, decrypts them again,
 * and erases the key, which the core then refuses to use. The last line is PASS or FAIL, and is the exit status, too.
 */
#include <generated/csr.h>
#include <irq.h>

#include "console.h"
#include "example.h"
#include "modeloom.h"
#include "transfer.h"

enum { NO_KEY = 4, FILL = 0xa5, BYTES = SECTORS * SECTOR_BYTES };

static uint8_t *const source = (uint8_t *)MAIN_RAM_BASE;
static uint8_t *const result = (uint8_t *)RESULT_RAM_BASE;

static int read32(void *context, uint32_t offset, uint32_t *value)
{
    *value = ((volatile uint32_t *)context)[offset / 4];
    return 0;
}

static int write32(void *context, uint32_t offset, uint32_t value)
{
    ((volatile uint32_t *)context)[offset / 4] = value;
    return 0;
}

/* Loads a key, which gives an interrupt. */
static void load_key(struct modeloom *core)
{
    uint32_t events;

    require(modeloom_enable(core, MODELOOM_KEY_DONE) == MODELOOM_OK, "the interrupt was not enabled");
    cipher_ev_enable_write(1);
    require(!(irq_pending() & 1u << CIPHER_INTERRUPT), "there is an interrupt without an event");
    require(modeloom_load_key(core, SLOT, KEY, sizeof KEY, POLLS) == MODELOOM_OK, "the key was not loaded");
    wait_for_interrupt(CIPHER_INTERRUPT);
    require(modeloom_take_events(core, &events) == MODELOOM_OK && (events & MODELOOM_KEY_DONE), "another event came");
    require(!(irq_pending() & 1u << CIPHER_INTERRUPT), "the interrupt did not end");
}

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

static void tell(struct modeloom *core, const char *what, uint32_t cycles)
{
    uint64_t idle, waits;

    require(modeloom_count(core, MODELOOM_IN_IDLE, &idle) == MODELOOM_OK &&
                modeloom_count(core, MODELOOM_OUT_WAITS, &waits) == MODELOOM_OK,
            "a counter was not read");
    text(what);
    number(SECTORS);
    text(" sectors of ");
    number(SECTOR_BYTES);
    text(" bytes in ");
    number(cycles);
    text(" cycles, ");
    number(cycles / SECTORS);
    text(" a sector; the core waited for data in ");
    number((uint32_t)idle);
    text(" cycles, results waited ");
    number((uint32_t)waits);
    text("\n");
}

int main(void)
{
    const struct modeloom_bus bus = {read32, write32, NULL, (void *)CIPHER_REGISTERS_BASE};
    struct modeloom core;
    uint32_t cycles;
    int has;

    require(modeloom_open(&core, &bus) == MODELOOM_OK, "there is no core");
    text("modeloom core ");
    hexadecimal(core.build);
    text(", mode " MODE "\n");
    load_key(&core);
    if (core.encrypts) {
        fill(PLAIN);
        prepare(SECTORS, TWEAKS[0], TWEAK_BYTES, 0);
        cycles = transfer(&core, SECTORS, SECTOR_BYTES, 0);
        tell(&core, "encrypted ", cycles);
        require(is_there(CIPHER), "the ciphertext is not what the model has");
    }
    if (core.decrypts) {
        fill(CIPHER);
        prepare(SECTORS, TWEAKS[0], TWEAK_BYTES, 1);
        cycles = transfer(&core, SECTORS, SECTOR_BYTES, 0);
        tell(&core, "decrypted ", cycles);
        require(is_there(PLAIN), "the plaintext did not come back");
    }
    require(modeloom_erase_key(&core, SLOT, POLLS) == MODELOOM_OK, "the key was not erased");
    require(modeloom_has_key(&core, SLOT, &has) == MODELOOM_OK && !has, "the slot still has a key");
    fill(PLAIN);
    prepare(1, TWEAKS[0], TWEAK_BYTES, !core.encrypts);
    transfer(&core, 1, SECTOR_BYTES, NO_KEY);
    require(is_there(NULL), "the core gave data without a key");
    text("erased key: the core refuses a sector with status 4, and gives no data\n");
    text("PASS\n");
    return 0;
}
