/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer.h"

#include <generated/csr.h>
#include <irq.h>
#include <system.h>

#include "console.h"

static size_t command_bytes(const struct modeloom *core)
{
    return core->kind == MODELOOM_MESSAGES ? modeloom_message_command_bytes(&core->layout) : MODELOOM_SECTOR_COMMAND_BYTES;
}

uint8_t *command_place(const struct modeloom *core, unsigned at)
{
    require(at < MOST_COMMANDS, "there are too many commands");
    return (uint8_t *)COMMAND_RAM_BASE + at * command_bytes(core);
}

static void check(const struct transfer *what, unsigned at, const struct status *status)
{
    require(status->number == at, "a status has another number");
    what->check(at, status);
}

#ifdef CSR_CIPHER_DMA_COMMANDS_BASE_ADDR

/* Commands and statuses go by DMA. Each status begins with a word of the bus. */
static uint8_t *const statuses = (uint8_t *)(COMMAND_RAM_BASE + MOST_COMMANDS * MODELOOM_MOST_MESSAGE_COMMAND_BYTES);

static size_t status_place_bytes(const struct modeloom *core)
{
    size_t bytes = core->kind == MODELOOM_MESSAGES ? modeloom_message_status_bytes(&core->layout) : MODELOOM_SECTOR_STATUS_BYTES;

    return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

static void start_commands(const struct modeloom *core, const struct transfer *what)
{
    cipher_dma_commands_base_write(COMMAND_RAM_BASE);
    cipher_dma_commands_length_write(what->commands * command_bytes(core));
    cipher_dma_statuses_base_write((uint32_t)statuses);
    cipher_dma_statuses_length_write(what->commands * status_place_bytes(core));
    cipher_dma_statuses_enable_write(1);
    cipher_dma_commands_enable_write(1);
}

static void run_commands(struct modeloom *core, const struct transfer *what)
{
    (void)core;
    (void)what;
    cipher_dma_ev_enable_write(1 << CSR_CIPHER_DMA_EV_ENABLE_STATUSES_OFFSET);
    wait_for_interrupt(CIPHER_DMA_INTERRUPT);
}

static void end_commands(const struct modeloom *core, const struct transfer *what)
{
    struct status status;
    unsigned at;

    flush_cpu_dcache();
    for (at = 0; at < what->commands; at++) {
        const uint8_t *beat = statuses + at * status_place_bytes(core);

        if (core->kind == MODELOOM_MESSAGES)
            modeloom_message_status(&core->layout, beat, &status.number, &status.code, status.tag);
        else
            modeloom_sector_status(beat, &status.number, &status.code);
        check(what, at, &status);
    }
    cipher_dma_commands_enable_write(0);
    cipher_dma_statuses_enable_write(0);
}

#else

#include "modeloom_commands.h"

/* The CPU submits commands and takes statuses. */
static void start_commands(const struct modeloom *core, const struct transfer *what)
{
    (void)core;
    (void)what;
}

static void run_commands(struct modeloom *core, const struct transfer *what)
{
    unsigned sent = 0, back = 0, at;
    uint32_t events;

    require(modeloom_enable(core, MODELOOM_STATUS_CAME) == MODELOOM_OK, "the interrupt was not enabled");
    while (back < what->commands) {
        struct modeloom_status found;
        struct status status;
        int there;

        if (sent < what->commands) {
            enum modeloom_result done = modeloom_submit(core, command_place(core, sent), command_bytes(core), 0);

            require(done == MODELOOM_OK || done == MODELOOM_TIMEOUT, "a command was not taken");
            sent += done == MODELOOM_OK; /* otherwise the one before still waits */
        }
        require(modeloom_poll(core, &found, &there) == MODELOOM_OK, "a status was not read");
        if (there) {
            status.number = found.number;
            status.code = found.code;
            for (at = 0; at < sizeof status.tag; at++)
                status.tag[at] = found.tag[at];
            check(what, back++, &status);
        } else if (sent == what->commands) {
            wait_for_interrupt(CIPHER_INTERRUPT);
            require(modeloom_take_events(core, &events) == MODELOOM_OK, "the events were not read");
        }
    }
}

static void end_commands(const struct modeloom *core, const struct transfer *what)
{
    (void)core;
    (void)what;
}

#endif

struct cost transfer(struct modeloom *core, const struct transfer *what)
{
    struct cost cost;

    cipher_dma_reader_base_write(MAIN_RAM_BASE);
    cipher_dma_reader_length_write(what->source_bytes);
    cipher_dma_writer_base_write(RESULT_RAM_BASE);
    /* Where the core must give nothing, there is a place for what it gives. */
    cipher_dma_writer_length_write(what->result_bytes ? what->result_bytes : what->source_bytes);
    require(modeloom_clear_counters(core) == MODELOOM_OK, "the counters were not cleared");
    start_commands(core, what);
    cipher_dma_writer_enable_write(1);
    cipher_dma_reader_enable_write(1);
    run_commands(core, what);
    if (what->result_bytes) {
        cipher_dma_ev_enable_write(1 << CSR_CIPHER_DMA_EV_ENABLE_RESULTS_OFFSET);
        wait_for_interrupt(CIPHER_DMA_INTERRUPT);
    }
    cost = cost_of(core);
    end_commands(core, what);
    require(cipher_dma_reader_done_read(), "the core did not take all data");
    if (!what->result_bytes)
        require(cipher_dma_writer_offset_read() == 0, "a refused command gave data");
    cipher_dma_ev_enable_write(0);
    cipher_dma_reader_enable_write(0);
    cipher_dma_writer_enable_write(0);
    flush_cpu_dcache(); /* the DMA has written behind the cache */
    return cost;
}
