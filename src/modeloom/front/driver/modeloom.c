/* SPDX-License-Identifier: Apache-2.0 */
#include "modeloom.h"

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

/* Waits until all bits of a mask are zero in the register state. */
static enum modeloom_result wait_for(struct modeloom *core, uint32_t mask, unsigned long polls, uint32_t *state)
{
    enum modeloom_result result = get(core, OFFSET(state), state);

    while (result == MODELOOM_OK && (*state & mask)) {
        if (!polls--)
            return MODELOOM_TIMEOUT;
        if (core->bus.wait)
            core->bus.wait(core->bus.context);
        result = get(core, OFFSET(state), state);
    }
    return result;
}

/* A key is on its way from registers to the core, or in the core. */
static const uint32_t WORKING = MODELOOM_REGISTERS__STATE__KEY_SENDING_bm | MODELOOM_REGISTERS__STATE__KEY_BUSY_bm;

enum modeloom_result modeloom_open(struct modeloom *core, const struct modeloom_bus *bus)
{
    uint32_t magic, version, capabilities, keys;
    enum modeloom_result result;

    core->bus = *bus;
    if ((result = get(core, OFFSET(identification), &magic)) != MODELOOM_OK)
        return result;
    if (magic != MODELOOM_REGISTERS__IDENTIFICATION__MAGIC_reset)
        return MODELOOM_NO_CORE;
    if ((result = get(core, OFFSET(version), &version)) != MODELOOM_OK ||
        (result = get(core, OFFSET(build), &core->build)) != MODELOOM_OK ||
        (result = get(core, OFFSET(capabilities), &capabilities)) != MODELOOM_OK ||
        (result = get(core, OFFSET(key_sizes), &keys)) != MODELOOM_OK)
        return result;
    core->major = FIELD(version, VERSION, MAJOR);
    core->minor = FIELD(version, VERSION, MINOR);
    core->patch = FIELD(version, VERSION, PATCH);
    core->kind = (enum modeloom_kind)FIELD(capabilities, CAPABILITIES, KIND);
    core->encrypts = FIELD(capabilities, CAPABILITIES, ENCRYPT) != 0;
    core->decrypts = FIELD(capabilities, CAPABILITIES, DECRYPT) != 0;
#ifdef MODELOOM_REGISTERS__CAPABILITIES__COMMANDS_bm
    core->takes_commands = FIELD(capabilities, CAPABILITIES, COMMANDS) != 0;
#else
    core->takes_commands = 0;
#endif
    core->beat_bytes = FIELD(capabilities, CAPABILITIES, BEAT_BYTES);
    core->layout.block_bytes = 4 * FIELD(capabilities, CAPABILITIES, BLOCK_WORDS);
    core->layout.states_text = FIELD(capabilities, CAPABILITIES, STATES_TEXT) != 0;
    core->layout.text_first = FIELD(capabilities, CAPABILITIES, TEXT_FIRST) != 0;
    core->layout.two_passes = FIELD(capabilities, CAPABILITIES, TWO_PASSES) != 0;
    core->layout.keys_inline = 0; /* registers load keys into slots */
    core->key_slots = FIELD(keys, KEY_SIZES, SLOTS);
    core->key_bytes = FIELD(keys, KEY_SIZES, BYTES);
    return MODELOOM_OK;
}

/* Sends a key packet, and waits until the core is done with it. */
static enum modeloom_result send(struct modeloom *core, uint32_t command, unsigned long polls, uint32_t *state)
{
    enum modeloom_result result = put(core, OFFSET(key_send), command);

    return result == MODELOOM_OK ? wait_for(core, WORKING, polls, state) : result;
}

enum modeloom_result modeloom_load_key(struct modeloom *core, unsigned slot, const uint8_t *key, size_t bytes, unsigned long polls)
{
    enum modeloom_result result;
    uint32_t state;
    size_t at, byte;
    int loaded;

    if (slot >= core->key_slots)
        return MODELOOM_BAD_SLOT;
    if (bytes == 0 || bytes > core->key_bytes || !key)
        return MODELOOM_BAD_LENGTH;
    if ((result = wait_for(core, WORKING, polls, &state)) != MODELOOM_OK)
        return result;
    for (at = 0; at < bytes; at += 4) {
        uint32_t word = 0;

        for (byte = 0; byte < 4 && at + byte < bytes; byte++)
            word |= (uint32_t)key[at + byte] << (8 * byte);
        if ((result = put(core, OFFSET(key_data) + (uint32_t)at, word)) != MODELOOM_OK)
            return result;
    }
    if ((result = put(core, OFFSET(key_length), (uint32_t)bytes)) != MODELOOM_OK ||
        (result = send(core, slot, polls, &state)) != MODELOOM_OK)
        return result;
    /* An erasure of everything also erases a key that is being loaded, and does not set key_error. */
    if ((result = modeloom_has_key(core, slot, &loaded)) != MODELOOM_OK)
        return result;
    return FIELD(state, STATE, KEY_ERROR) || !loaded ? MODELOOM_KEY_REFUSED : MODELOOM_OK;
}

enum modeloom_result modeloom_erase_key(struct modeloom *core, unsigned slot, unsigned long polls)
{
    enum modeloom_result result;
    uint32_t state;

    if (slot >= core->key_slots)
        return MODELOOM_BAD_SLOT;
    if ((result = wait_for(core, WORKING, polls, &state)) != MODELOOM_OK)
        return result;
    return send(core, slot | MODELOOM_REGISTERS__KEY_SEND__ERASE_bm, polls, &state);
}

enum modeloom_result modeloom_has_key(struct modeloom *core, unsigned slot, int *loaded)
{
    enum modeloom_result result;
    uint32_t flags;

    if (slot >= core->key_slots)
        return MODELOOM_BAD_SLOT;
    /* The only bit is then that of the slot of the last key packet. */
    if (core->key_slots > 64)
        slot = 0;
    result = get(core, OFFSET(key_loaded) + 4 * (slot / 32), &flags);
    if (result == MODELOOM_OK)
        *loaded = (int)(flags >> (slot % 32) & 1);
    return result;
}

enum modeloom_result modeloom_zeroize(struct modeloom *core, unsigned long polls)
{
    enum modeloom_result result = put(core, OFFSET(control), MODELOOM_REGISTERS__CONTROL__ZEROIZE_bm);
    uint32_t state;

    return result == MODELOOM_OK ? wait_for(core, MODELOOM_REGISTERS__STATE__ZEROIZING_bm, polls, &state) : result;
}

enum modeloom_result modeloom_enable(struct modeloom *core, uint32_t events)
{
    return put(core, OFFSET(interrupt_enable), events);
}

enum modeloom_result modeloom_take_events(struct modeloom *core, uint32_t *events)
{
    enum modeloom_result result = get(core, OFFSET(interrupt_pending), events);

    return result == MODELOOM_OK ? put(core, OFFSET(interrupt_pending), *events) : result;
}

enum modeloom_result modeloom_last_failure(struct modeloom *core, unsigned *code, unsigned *number)
{
    uint32_t value;
    enum modeloom_result result = get(core, OFFSET(last_failure), &value);

    if (result == MODELOOM_OK) {
        *code = FIELD(value, LAST_FAILURE, CODE);
        *number = FIELD(value, LAST_FAILURE, COMMAND);
    }
    return result;
}

enum modeloom_result modeloom_count(struct modeloom *core, enum modeloom_counter which, uint64_t *value)
{
    uint32_t low, high;
    enum modeloom_result result;

    /* The order matters: reading the lower half keeps the upper one. */
    if ((result = get(core, OFFSET(cycles) + 4 * (uint32_t)which, &low)) != MODELOOM_OK ||
        (result = get(core, OFFSET(high), &high)) != MODELOOM_OK)
        return result;
    *value = (uint64_t)high << 32 | low;
    return MODELOOM_OK;
}

enum modeloom_result modeloom_clear_counters(struct modeloom *core)
{
    return put(core, OFFSET(control), MODELOOM_REGISTERS__CONTROL__CLEAR_COUNTERS_bm);
}

/* -- commands and statuses ---------------------------------------------------------------------------------------- */

static void little(uint8_t *bytes, uint64_t value, unsigned count)
{
    while (count--) {
        *bytes++ = (uint8_t)value;
        value >>= 8;
    }
}

static void copy(uint8_t *to, const uint8_t *from, size_t count)
{
    while (count--)
        *to++ = *from++;
}

static void clear(uint8_t *bytes, size_t count)
{
    while (count--)
        *bytes++ = 0;
}

enum modeloom_result modeloom_sector_command(uint8_t beat[MODELOOM_SECTOR_COMMAND_BYTES], const struct modeloom_sector *sector)
{
    if (sector->tweak_bytes > 32 || (sector->tweak_bytes && !sector->tweak))
        return MODELOOM_BAD_LENGTH;
    clear(beat, MODELOOM_SECTOR_COMMAND_BYTES);
    copy(beat, sector->tweak, sector->tweak_bytes);
    little(beat + 32, sector->number, 2);
    beat[34] = sector->slot;
    beat[35] = sector->size;
    beat[36] = sector->decrypt != 0;
    return MODELOOM_OK;
}

size_t modeloom_message_command_bytes(const struct modeloom_layout *layout)
{
    if (!layout->block_bytes)
        return 0;
    /* Nonce and tag, 8 bytes for each number of bytes of a part, and 8 for all that is shorter. */
    return 2 * (size_t)layout->block_bytes + (layout->states_text && !layout->text_first ? 24 : 16);
}

size_t modeloom_message_status_bytes(const struct modeloom_layout *layout)
{
    return layout->block_bytes ? (size_t)layout->block_bytes + 4 : 0;
}

enum modeloom_result modeloom_message_command(const struct modeloom_layout *layout, uint8_t *beat, size_t bytes,
                                              const struct modeloom_message *message)
{
    const size_t block = layout->block_bytes;
    unsigned way = message->second_pass ? 2 : message->open != 0;

    if (!block || (message->second_pass && (message->open || !layout->two_passes)) || (message->new_key && !layout->keys_inline))
        return MODELOOM_BAD_COMMAND;
    if (bytes != modeloom_message_command_bytes(layout) || message->nonce_bytes > block || message->tag_bytes > block ||
        (message->nonce_bytes && !message->nonce))
        return MODELOOM_BAD_LENGTH;
    clear(beat, bytes);
    copy(beat, message->nonce, message->nonce_bytes);
    beat += block;
    /* A packet on the wire has the tag itself, and the core reads none here. */
    if (way && message->tag)
        copy(beat, message->tag, message->tag_bytes);
    beat += block;
    if (!layout->text_first) {
        little(beat, message->associated_bytes, 8);
        beat += 8;
    }
    if (layout->states_text || layout->text_first) {
        little(beat, message->text_bytes, 8);
        beat += 8;
    }
    little(beat, message->number, 2);
    beat += 2;
    /* A core whose keys come with messages has no slots. Its commands have zeros at the end, and a flag behind the direction. */
    if (layout->keys_inline) {
        way |= (unsigned)(message->new_key != 0) << (layout->two_passes ? 2 : 1);
    } else {
        little(beat, message->slot, 2);
        beat += 2;
    }
    beat[0] = message->channel;
    beat[1] = (uint8_t)message->nonce_bytes;
    beat[2] = (uint8_t)message->tag_bytes;
    beat[3] = (uint8_t)way;
    return MODELOOM_OK;
}

static enum modeloom_result result_of_sector(unsigned code)
{
    switch ((enum modeloom_sector_code)code) {
    case MODELOOM_SECTOR_OK:
        return MODELOOM_OK;
    case MODELOOM_SECTOR_TOO_SHORT:
    case MODELOOM_SECTOR_TOO_LONG:
        return MODELOOM_BAD_LENGTH;
    case MODELOOM_SECTOR_BAD_KEEP:
        return MODELOOM_BAD_PACKET;
    case MODELOOM_SECTOR_NO_KEY:
        return MODELOOM_NO_KEY;
    case MODELOOM_SECTOR_NO_DIRECTION:
    case MODELOOM_SECTOR_UNKNOWN_SIZE:
        return MODELOOM_BAD_COMMAND;
    }
    return MODELOOM_BAD_COMMAND; /* of a later version */
}

static enum modeloom_result result_of_message(unsigned code)
{
    switch ((enum modeloom_message_code)code) {
    case MODELOOM_MESSAGE_OK:
        return MODELOOM_OK;
    case MODELOOM_MESSAGE_WRONG_TAG:
        return MODELOOM_WRONG_TAG;
    case MODELOOM_MESSAGE_TOO_SHORT:
    case MODELOOM_MESSAGE_TOO_LONG_TO_HOLD:
    case MODELOOM_MESSAGE_TOO_LONG:
    case MODELOOM_MESSAGE_BAD_TAG_LENGTH:
    case MODELOOM_MESSAGE_BAD_NONCE_LENGTH:
        return MODELOOM_BAD_LENGTH;
    case MODELOOM_MESSAGE_BAD_KEEP:
        return MODELOOM_BAD_PACKET;
    case MODELOOM_MESSAGE_NO_KEY:
        return MODELOOM_NO_KEY;
    case MODELOOM_MESSAGE_NO_DIRECTION:
    case MODELOOM_MESSAGE_NO_CHANNEL:
        return MODELOOM_BAD_COMMAND;
    }
    return MODELOOM_BAD_COMMAND; /* of a later version */
}

enum modeloom_result modeloom_result_of(enum modeloom_kind kind, unsigned code)
{
    return kind == MODELOOM_MESSAGES ? result_of_message(code) : result_of_sector(code);
}

void modeloom_sector_status(const uint8_t beat[MODELOOM_SECTOR_STATUS_BYTES], unsigned *number, unsigned *code)
{
    *number = (unsigned)beat[0] | (unsigned)beat[1] << 8;
    *code = beat[2];
}

void modeloom_message_status(const struct modeloom_layout *layout, const uint8_t *beat, unsigned *number, unsigned *code, uint8_t *tag)
{
    if (tag)
        copy(tag, beat, layout->block_bytes);
    beat += layout->block_bytes;
    *number = (unsigned)beat[0] | (unsigned)beat[1] << 8;
    *code = beat[2];
}
