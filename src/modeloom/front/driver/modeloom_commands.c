/* SPDX-License-Identifier: Apache-2.0 */
#include "modeloom_commands.h"

#include "modeloom_registers.h"

#define OFFSET(register) ((uint32_t)offsetof(modeloom_registers_t, register))
#define FIELD(value, register, field) \
    (((value) & MODELOOM_REGISTERS__##register##__##field##_bm) >> MODELOOM_REGISTERS__##register##__##field##_bp)

static enum modeloom_result get(struct modeloom *core, uint32_t offset, uint32_t *value)
{
    return core->bus.read(core->bus.context, offset, value) ? MODELOOM_BUS : MODELOOM_OK;
}

static enum modeloom_result put(struct modeloom *core, uint32_t offset, uint32_t value)
{
    return core->bus.write(core->bus.context, offset, value) ? MODELOOM_BUS : MODELOOM_OK;
}

static void pause_once(struct modeloom *core)
{
    if (core->bus.wait)
        core->bus.wait(core->bus.context);
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

enum modeloom_result modeloom_submit(struct modeloom *core, const uint8_t *command, size_t bytes, unsigned long polls)
{
    enum modeloom_result result;
    uint32_t state;
    size_t at;

    if (!core->takes_commands)
        return MODELOOM_NO_COMMANDS;
    while ((result = get(core, OFFSET(command_state), &state)) == MODELOOM_OK && FIELD(state, COMMAND_STATE, BUSY)) {
        if (!polls--)
            return MODELOOM_TIMEOUT;
        pause_once(core);
    }
    if (result != MODELOOM_OK)
        return result;
    if (bytes != 4 * (size_t)FIELD(state, COMMAND_STATE, COMMAND_WORDS) || !command)
        return MODELOOM_BAD_LENGTH;
    for (at = 0; at < bytes; at += 4)
        if ((result = put(core, OFFSET(command_data) + (uint32_t)at, word_of(command + at))) != MODELOOM_OK)
            return result;
    return put(core, OFFSET(command_submit), MODELOOM_REGISTERS__COMMAND_SUBMIT__SUBMIT_bm);
}

enum modeloom_result modeloom_poll(struct modeloom *core, struct modeloom_status *status, int *there)
{
    enum modeloom_result result;
    uint32_t value, state;
    unsigned at, words = 0;

    /* The window of the registers may end before these, and the bus may read others in their place. */
    if (!core->takes_commands)
        return MODELOOM_NO_COMMANDS;
    result = get(core, OFFSET(status), &value);
    if (result != MODELOOM_OK)
        return result;
    *there = FIELD(value, STATUS, THERE) != 0;
    status->code = FIELD(value, STATUS, CODE);
    status->channel = FIELD(value, STATUS, CHANNEL);
    status->number = FIELD(value, STATUS, COMMAND);
    if (*there && core->kind == MODELOOM_MESSAGES) {
        if ((result = get(core, OFFSET(command_state), &state)) != MODELOOM_OK)
            return result;
        words = FIELD(state, COMMAND_STATE, TAG_WORDS);
    }
    for (at = 0; at < MODELOOM_MOST_TAG_BYTES / 4; at++) {
        value = 0;
        if (at < words && (result = get(core, OFFSET(status_tag) + 4 * at, &value)) != MODELOOM_OK)
            return result;
        status->tag[4 * at] = (uint8_t)value;
        status->tag[4 * at + 1] = (uint8_t)(value >> 8);
        status->tag[4 * at + 2] = (uint8_t)(value >> 16);
        status->tag[4 * at + 3] = (uint8_t)(value >> 24);
    }
    return MODELOOM_OK;
}

enum modeloom_result modeloom_wait_status(struct modeloom *core, struct modeloom_status *status, unsigned long polls)
{
    enum modeloom_result result;
    int there;

    while ((result = modeloom_poll(core, status, &there)) == MODELOOM_OK && !there) {
        if (!polls--)
            return MODELOOM_TIMEOUT;
        pause_once(core);
    }
    return result;
}
