/* SPDX-License-Identifier: Apache-2.0 */
/* Sends sectors through the core: DMA moves data, and commands and statuses go by DMA or over registers, as the core was built. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include <generated/mem.h>
#include <generated/soc.h>

#include "modeloom.h"

/* Where data and commands are. A SoC with one RAM has everything there. */
#ifndef RESULT_RAM_BASE
#define RESULT_RAM_BASE (MAIN_RAM_BASE + MAIN_RAM_SIZE / 4)
#endif
#ifndef COMMAND_RAM_BASE
#define COMMAND_RAM_BASE (MAIN_RAM_BASE + MAIN_RAM_SIZE / 2)
#endif

enum { MOST_SECTORS = 32, POLLS = 100000, SLOT = 0 };

/* Ends the simulation with a line, if a condition does not hold. */
void require(int condition, const char *what);

/* Waits for an interrupt without a trap, and without an access to the bus, which the DMA needs. */
void wait_for_interrupt(unsigned line);

/* Makes the commands of sectors, with the numbers 0, 1, .... */
void prepare(unsigned sectors, const uint8_t *tweaks, size_t tweak_bytes, int decrypt);

/*
 * Sends the sectors of the last call of prepare from the main RAM to the RAM of results. All statuses must have this code, and come in
 * order. Gives the cycles from the start of the DMA until all results are in the RAM.
 */
uint32_t transfer(struct modeloom *core, unsigned sectors, size_t sector_bytes, unsigned code);

#endif
