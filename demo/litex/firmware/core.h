/* SPDX-License-Identifier: Apache-2.0 */
/* The core of the SoC behind its registers: keys, interrupts and counters, by the driver. Each function fails with a line. */
#ifndef CORE_H
#define CORE_H

#include "modeloom.h"

enum { POLLS = 100000 };

/* Opens the core, and prints its build and its mode. */
void open_core(struct modeloom *core, const char *mode);

/* Loads a key, which gives an interrupt. */
void load_key(struct modeloom *core, unsigned slot, const uint8_t *key, size_t bytes);

/* Erases a key, after which the slot has none. */
void erase_key(struct modeloom *core, unsigned slot);

/* Waits for an interrupt without a trap, and without an access to the bus, which the DMA needs. */
void wait_for_interrupt(unsigned line);

/* What something has cost, in cycles: all, those in which the core waited for data, and those in which results waited. */
struct cost {
    uint32_t cycles, idle, waits;
};

/* The counters of the core. */
struct cost cost_of(struct modeloom *core);

/* Ends a line with the cost of so many things. */
void tell_cost(const struct cost *cost, unsigned count, const char *thing);

#endif
