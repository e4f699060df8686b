/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a key into a core with registers from a Linux program, over a UIO device.
 *
 *     cc -std=c11 -I CORE -o uio demo/uio/uio.c CORE/modeloom.c        CORE is the folder of the core
 *     ./uio /dev/uio0                                                  tells what the core is, and what it has done
 *     ./uio /dev/uio0 SLOT KEY                                         loads a key, which is hexadecimal
 *     ./uio /dev/uio0 SLOT                                             erases a slot
 *
 * The device tree or the kernel module gives the registers as map 0. Sectors and messages go over a DMA engine: see demo/dma.
 */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "modeloom.h"

enum { BYTES = 4096, MOST_KEY_BYTES = 256, POLLS = 1000000 };

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

static const char *text(enum modeloom_result result)
{
    switch (result) {
    case MODELOOM_OK:
        return "done";
    case MODELOOM_BUS:
        return "the registers refused an access";
    case MODELOOM_NO_CORE:
        return "there is no core of modeloom";
    case MODELOOM_BAD_SLOT:
        return "the core has no such slot";
    case MODELOOM_BAD_LENGTH:
        return "the key is too long, or is not hexadecimal";
    case MODELOOM_TIMEOUT:
        return "the core was not done in time";
    case MODELOOM_KEY_REFUSED:
        return "the mode refuses this key";
    case MODELOOM_NO_COMMANDS:
        return "commands of the core do not go over registers";
    case MODELOOM_BAD_COMMAND:
        return "the core cannot do this";
    case MODELOOM_NO_KEY:
        return "the slot holds no key";
    case MODELOOM_WRONG_TAG:
        return "the tag is wrong";
    case MODELOOM_BAD_PACKET:
        return "the packet is wrong";
    }
    return "unknown";
}

/* The bytes of a key in hexadecimal digits; 0 if there is something else. */
static size_t bytes_of(const char *digits, uint8_t key[MOST_KEY_BYTES])
{
    size_t count = strlen(digits) / 2, at;

    if (strlen(digits) % 2 || count > MOST_KEY_BYTES)
        return 0;
    for (at = 0; at < count; at++) {
        char pair[3] = {digits[2 * at], digits[2 * at + 1], 0}, *end;

        key[at] = (uint8_t)strtoul(pair, &end, 16);
        if (end != pair + 2)
            return 0;
    }
    return count;
}

static void tell(struct modeloom *core)
{
    static const char *const names[] = {"cycles",    "commands", "succeeded", "failed",   "bytes in",    "bytes out",
                                        "cmd waits", "in waits", "in idle",   "out waits", "out idle", "status waits"};
    unsigned which;

    printf("modeloom %u.%u.%u, build %08x, %s, %u key slots, keys of up to %u bytes\n", core->major, core->minor, core->patch,
           (unsigned)core->build, core->kind == MODELOOM_SECTORS ? "sectors" : "messages", core->key_slots, core->key_bytes);
    for (which = MODELOOM_CYCLES; which <= MODELOOM_STATUS_WAITS; which++) {
        uint64_t value;

        if (modeloom_count(core, (enum modeloom_counter)which, &value) == MODELOOM_OK)
            printf("%12s %llu\n", names[which], (unsigned long long)value);
    }
}

int main(int count, char **arguments)
{
    struct modeloom_bus bus = {read32, write32, NULL, NULL};
    struct modeloom core;
    enum modeloom_result result;
    uint8_t key[MOST_KEY_BYTES];
    int device;

    if (count < 2 || count > 4) {
        fprintf(stderr, "usage: %s DEVICE [SLOT [KEY]]\n", arguments[0]);
        return 2;
    }
    device = open(arguments[1], O_RDWR);
    if (device < 0) {
        perror(arguments[1]);
        return 2;
    }
    bus.context = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    if (bus.context == MAP_FAILED) {
        perror(arguments[1]);
        return 2;
    }
    result = modeloom_open(&core, &bus);
    if (result == MODELOOM_OK && count == 2) {
        tell(&core);
    } else if (result == MODELOOM_OK) {
        unsigned slot = (unsigned)strtoul(arguments[2], NULL, 0);

        if (count == 4) {
            size_t bytes = bytes_of(arguments[3], key);

            result = bytes ? modeloom_load_key(&core, slot, key, bytes, POLLS) : MODELOOM_BAD_LENGTH;
        } else {
            result = modeloom_erase_key(&core, slot, POLLS);
        }
    }
    if (result != MODELOOM_OK)
        fprintf(stderr, "%s: %s\n", arguments[1], text(result));
    return result != MODELOOM_OK;
}
