/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include "console.h"
#include "form.h"

enum { LENGTH_BYTES = 8, FILL = 0x5a };

static size_t whole_words(size_t bytes)
{
    return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

static uint8_t *put(uint8_t *to, const uint8_t *data, size_t bytes)
{
    while (bytes--)
        *to++ = *data++;
    return to;
}

/* Fills a word. The core does not read the bytes behind a part. */
static uint8_t *end_word(uint8_t *to)
{
    while ((uintptr_t)to % WORD_BYTES)
        *to++ = FILL;
    return to;
}

size_t put_packet(uint8_t *to, const struct message *message, int open)
{
    const size_t tag_bytes = WIRE && open ? message->tag_bytes : 0;
    uint32_t *lengths = (uint32_t *)to;
    uint8_t *at = to + LENGTH_BYTES;

    lengths[0] = WIRE ? 0 : message->associated_bytes;
    lengths[1] = message->text_bytes + (WIRE ? message->associated_bytes + tag_bytes : 0);
    at = put(at, message->associated, message->associated_bytes);
    if (!WIRE)
        at = end_word(at);
    at = put(at, open ? message->cipher : message->plain, message->text_bytes);
    return (size_t)(end_word(put(at, message->tag, tag_bytes)) - to);
}

void put_command(const struct modeloom *core, unsigned at, const struct message *message, int open)
{
    const struct modeloom_message fields = {
        .nonce = message->nonce,
        .nonce_bytes = message->nonce_bytes,
        .tag = message->tag,
        .tag_bytes = message->tag_bytes,
        .associated_bytes = message->associated_bytes,
        .text_bytes = message->text_bytes,
        .number = (uint16_t)at,
        .slot = message->slot,
        .open = open,
    };

    require(modeloom_message_command(&core->layout, command_place(core, at), modeloom_message_command_bytes(&core->layout), &fields) ==
                MODELOOM_OK,
            "a command has no such lengths");
}

size_t result_bytes(const struct message *message, int open, unsigned code)
{
    size_t header = WIRE ? message->associated_bytes : 0;

    if (code == NO_KEY || (code == WRONG_TAG && HOLDS))
        return whole_words(header);
    return whole_words(header + message->text_bytes + (WIRE && !open ? message->tag_bytes : 0));
}

/* Compares bytes, and goes behind them. */
static int same(const uint8_t **at, const uint8_t *data, size_t bytes)
{
    while (bytes--)
        if (*(*at)++ != *data++)
            return 0;
    return 1;
}

int is_result(const uint8_t *at, const struct message *message, int open)
{
    if (WIRE && !same(&at, message->associated, message->associated_bytes))
        return 0;
    if (!same(&at, open ? message->plain : message->cipher, message->text_bytes))
        return 0;
    if (WIRE && !open && !same(&at, message->tag, message->tag_bytes))
        return 0;
    for (; (uintptr_t)at % WORD_BYTES; at++)
        if (*at)
            return 0;
    return 1;
}

int is_tag(const uint8_t tag[16], const struct message *message, int sealed)
{
    unsigned at;

    for (at = 0; at < 16; at++)
        if (tag[at] != (sealed && at < message->tag_bytes ? message->tag[at] : 0))
            return 0;
    return 1;
}
