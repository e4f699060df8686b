/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <irq.h>

#include "console.h"

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

void open_core(struct modeloom *core, const char *mode)
{
    const struct modeloom_bus bus = {read32, write32, NULL, (void *)CIPHER_REGISTERS_BASE};

    require(modeloom_open(core, &bus) == MODELOOM_OK, "there is no core");
    text("modeloom core ");
    hexadecimal(core->build);
    text(", mode ");
    text(mode);
    text("\n");
}

void wait_for_interrupt(unsigned line)
{
    unsigned polls = 0;

    irq_setmask(irq_getmask() | 1u << line);
    while (!(irq_pending() & 1u << line))
        require(polls++ < POLLS, "an interrupt did not come");
}

void load_key(struct modeloom *core, unsigned slot, const uint8_t *key, size_t bytes)
{
    uint32_t events;

    require(modeloom_enable(core, MODELOOM_KEY_DONE) == MODELOOM_OK, "the interrupt was not enabled");
    cipher_ev_enable_write(1);
    require(!(irq_pending() & 1u << CIPHER_INTERRUPT), "there is an interrupt without an event");
    require(modeloom_load_key(core, slot, key, bytes, POLLS) == MODELOOM_OK, "the key was not loaded");
    wait_for_interrupt(CIPHER_INTERRUPT);
    require(modeloom_take_events(core, &events) == MODELOOM_OK && (events & MODELOOM_KEY_DONE), "another event came");
    require(!(irq_pending() & 1u << CIPHER_INTERRUPT), "the interrupt did not end");
}

void erase_key(struct modeloom *core, unsigned slot)
{
    int has;

    require(modeloom_erase_key(core, slot, POLLS) == MODELOOM_OK, "the key was not erased");
    require(modeloom_has_key(core, slot, &has) == MODELOOM_OK && !has, "the slot still has a key");
}

static uint32_t counted(struct modeloom *core, enum modeloom_counter which)
{
    uint64_t value;

    require(modeloom_count(core, which, &value) == MODELOOM_OK, "a counter was not read");
    return (uint32_t)value;
}

struct cost cost_of(struct modeloom *core)
{
    struct cost cost;

    cost.cycles = counted(core, MODELOOM_CYCLES);
    cost.idle = counted(core, MODELOOM_IN_IDLE);
    cost.waits = counted(core, MODELOOM_OUT_WAITS);
    return cost;
}

void tell_cost(const struct cost *cost, unsigned count, const char *thing)
{
    text(" bytes in ");
    number(cost->cycles);
    text(" cycles, ");
    number(cost->cycles / count);
    text(" a ");
    text(thing);
    text("; the core waited for data in ");
    number(cost->idle);
    text(" cycles, results waited ");
    number(cost->waits);
    text("\n");
}
