/* SPDX-License-Identifier: Apache-2.0 */
/* Sends packets through the core: DMA moves data, and commands and statuses go by DMA or over registers, as the core was built. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include <generated/mem.h>
#include <generated/soc.h>

#include "core.h"

/* Where data and commands are. A SoC with one RAM has everything there. */
#ifndef RESULT_RAM_BASE
#define RESULT_RAM_BASE (MAIN_RAM_BASE + MAIN_RAM_SIZE / 4)
#endif
#ifndef COMMAND_RAM_BASE
#define COMMAND_RAM_BASE (MAIN_RAM_BASE + MAIN_RAM_SIZE / 2)
#endif

enum { MOST_COMMANDS = 32, WORD_BYTES = CONFIG_BUS_DATA_WIDTH / 8 };

/* The place of data for the core, and of its results. */
static uint8_t *const source = (uint8_t *)MAIN_RAM_BASE;
static uint8_t *const result = (uint8_t *)RESULT_RAM_BASE;

/* A status of the core. Sectors have no tag. */
struct status {
    unsigned number, code;
    uint8_t tag[16];
};

struct transfer {
    unsigned commands;   /* their number, at most MOST_COMMANDS */
    size_t source_bytes; /* whole words, like those of results */
    size_t result_bytes; /* 0 if the core refuses everything */
    void (*check)(unsigned at, const struct status *status); /* called for each status in order, at the end or when it comes */
};

/* The place of a command, whose number has to be the one that is given here. */
uint8_t *command_place(const struct modeloom *core, unsigned at);

/* Sends the commands and the source to the core. Gives the cost from the start of the DMA until all results are in the RAM. */
struct cost transfer(struct modeloom *core, const struct transfer *what);

#endif
