/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer.h"

#include <generated/csr.h>
#include <irq.h>
#include <system.h>

#include "console.h"

static uint8_t (*const commands)[MODELOOM_SECTOR_COMMAND_BYTES] = (void *)COMMAND_RAM_BASE;

void require(int condition, const char *what)
{
    if (!condition) {
        text("FAIL: ");
        text(what);
        text("\n");
        finish(1);
    }
}

void wait_for_interrupt(unsigned line)
{
    unsigned polls = 0;

    irq_setmask(irq_getmask() | 1u << line);
    while (!(irq_pending() & 1u << line))
        require(polls++ < POLLS, "an interrupt did not come");
}

void prepare(unsigned sectors, const uint8_t *tweaks, size_t tweak_bytes, int decrypt)
{
    unsigned at;

    require(sectors <= MOST_SECTORS, "there are too many sectors");
    for (at = 0; at < sectors; at++) {
        struct modeloom_sector sector = {tweaks + at * tweak_bytes, tweak_bytes, (uint16_t)at, SLOT, 0, decrypt};

        require(modeloom_sector_command(commands[at], &sector) == MODELOOM_OK, "a command has no such tweak");
    }
}

static void check(unsigned number, unsigned code, unsigned expected_number, unsigned expected_code)
{
    require(number == expected_number, "a status has another number");
    require(code == expected_code, "a status has another code");
}

#ifdef CSR_CIPHER_DMA_COMMANDS_BASE_ADDR

/* Commands and statuses go by DMA. Each status has a word of the bus of its own. */
enum { WORD_BYTES = CONFIG_BUS_DATA_WIDTH / 8 };

static volatile uint8_t (*const statuses)[WORD_BYTES] = (void *)(COMMAND_RAM_BASE + MOST_SECTORS * MODELOOM_SECTOR_COMMAND_BYTES);

static void start_commands(unsigned sectors)
{
    cipher_dma_commands_base_write(COMMAND_RAM_BASE);
    cipher_dma_commands_length_write(sectors * MODELOOM_SECTOR_COMMAND_BYTES);
    cipher_dma_statuses_base_write((uint32_t)statuses);
    cipher_dma_statuses_length_write(sectors * WORD_BYTES);
    cipher_dma_statuses_enable_write(1);
    cipher_dma_commands_enable_write(1);
}

static void run_commands(struct modeloom *core, unsigned sectors, unsigned code)
{
    (void)core;
    (void)sectors;
    (void)code;
    cipher_dma_ev_enable_write(1 << CSR_CIPHER_DMA_EV_ENABLE_STATUSES_OFFSET);
    wait_for_interrupt(CIPHER_DMA_INTERRUPT);
}

static void end_commands(unsigned sectors, unsigned code)
{
    unsigned at, number, found;

    flush_cpu_dcache();
    for (at = 0; at < sectors; at++) {
        modeloom_sector_status((const uint8_t *)statuses[at], &number, &found);
        check(number, found, at, code);
    }
    cipher_dma_commands_enable_write(0);
    cipher_dma_statuses_enable_write(0);
}

#else

#include "modeloom_commands.h"

/* The CPU submits commands and takes statuses. */
static void start_commands(unsigned sectors)
{
    (void)sectors;
}

static void run_commands(struct modeloom *core, unsigned sectors, unsigned code)
{
    unsigned sent = 0, back = 0;
    uint32_t events;

    require(modeloom_enable(core, MODELOOM_STATUS_CAME) == MODELOOM_OK, "the interrupt was not enabled");
    while (back < sectors) {
        struct modeloom_status status;
        int there;

        if (sent < sectors) {
            enum modeloom_result done = modeloom_submit(core, commands[sent], sizeof commands[sent], 0);

            require(done == MODELOOM_OK || done == MODELOOM_TIMEOUT, "a command was not taken");
            sent += done == MODELOOM_OK; /* otherwise the one before still waits */
        }
        require(modeloom_poll(core, &status, &there) == MODELOOM_OK, "a status was not read");
        if (there) {
            check(status.number, status.code, back++, code);
        } else if (sent == sectors) {
            wait_for_interrupt(CIPHER_INTERRUPT);
            require(modeloom_take_events(core, &events) == MODELOOM_OK, "the events were not read");
        }
    }
}

static void end_commands(unsigned sectors, unsigned code)
{
    (void)sectors;
    (void)code;
}

#endif

static uint32_t cycles_of(struct modeloom *core)
{
    uint64_t cycles;

    require(modeloom_count(core, MODELOOM_CYCLES, &cycles) == MODELOOM_OK, "a counter was not read");
    return (uint32_t)cycles;
}

uint32_t transfer(struct modeloom *core, unsigned sectors, size_t sector_bytes, unsigned code)
{
    uint32_t cycles;

    require(modeloom_clear_counters(core) == MODELOOM_OK, "the counters were not cleared");
    cipher_dma_reader_base_write(MAIN_RAM_BASE);
    cipher_dma_reader_length_write(sectors * sector_bytes);
    cipher_dma_writer_base_write(RESULT_RAM_BASE);
    cipher_dma_writer_length_write(sectors * sector_bytes);
    cycles = cycles_of(core);
    start_commands(sectors);
    cipher_dma_writer_enable_write(1);
    cipher_dma_reader_enable_write(1);
    run_commands(core, sectors, code);
    if (code == 0) {
        cipher_dma_ev_enable_write(1 << CSR_CIPHER_DMA_EV_ENABLE_RESULTS_OFFSET);
        wait_for_interrupt(CIPHER_DMA_INTERRUPT);
    }
    cycles = cycles_of(core) - cycles;
    end_commands(sectors, code);
    require(cipher_dma_reader_done_read(), "the core did not take all sectors");
    if (code != 0)
        require(cipher_dma_writer_offset_read() == 0, "a refused sector gave data");
    cipher_dma_ev_enable_write(0);
    cipher_dma_reader_enable_write(0);
    cipher_dma_writer_enable_write(0);
    flush_cpu_dcache(); /* the DMA has written behind the cache */
    return cycles;
}
