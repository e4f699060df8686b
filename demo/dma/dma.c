/* SPDX-License-Identifier: Apache-2.0 */
#include "dma.h"

enum { TWEAK_BYTES = 8, MOST_TAG_BYTES = MODELOOM_MOST_MESSAGE_STATUS_BYTES - 4 };

/* How commands go to a core and how their results come back. */
struct run {
    unsigned commands; /* their number; the first one has the number of dma */
    size_t inputs;     /* buffers that were queued */
    int gives_data;    /* whether each command that succeeds fills a buffer of output */
    unsigned right;    /* commands before the first one that was refused */
    uint8_t tag[MOST_TAG_BYTES]; /* of the last status of a message */
};

static size_t command_bytes(const struct modeloom *core)
{
    return core->kind == MODELOOM_MESSAGES ? modeloom_message_command_bytes(&core->layout) : MODELOOM_SECTOR_COMMAND_BYTES;
}

static size_t status_bytes(const struct modeloom *core)
{
    return core->kind == MODELOOM_MESSAGES ? modeloom_message_status_bytes(&core->layout) : MODELOOM_SECTOR_STATUS_BYTES;
}

static void clear(uint8_t *bytes, size_t count)
{
    while (count--)
        *bytes++ = 0;
}

/* Whether the core is of this kind, has streams of commands, and has commands and statuses that fit into their memory. */
static int fits(const struct dma *dma, enum modeloom_kind kind)
{
    const struct modeloom *core = dma->core;

    return core->kind == kind && !core->takes_commands && dma->most && command_bytes(core) <= DMA_COMMAND_BYTES &&
           status_bytes(core) <= DMA_STATUS_BYTES;
}

static enum modeloom_result send(struct dma *dma, enum dma_stream stream, const void *at, size_t bytes, int last)
{
    return dma->send(dma->context, stream, at, bytes, last) ? MODELOOM_BUS : MODELOOM_OK;
}

static enum modeloom_result receive(struct dma *dma, enum dma_stream stream, void *at, size_t bytes)
{
    return dma->receive(dma->context, stream, at, bytes) ? MODELOOM_BUS : MODELOOM_OK;
}

static enum modeloom_result wait_for(struct dma *dma, enum dma_stream stream, size_t buffers)
{
    unsigned long polls = dma->polls;
    size_t done;

    for (;;) {
        if (dma->done(dma->context, stream, &done))
            return MODELOOM_BUS;
        if (done >= buffers)
            return MODELOOM_OK;
        if (!polls--)
            return MODELOOM_TIMEOUT;
        if (dma->wait)
            dma->wait(dma->context);
    }
}

/* Sends the commands, when the buffers of all other streams are queued. */
static enum modeloom_result send_commands(struct dma *dma, const struct run *run)
{
    enum modeloom_result result = receive(dma, DMA_STATUSES, dma->statuses, run->commands * status_bytes(dma->core));

    if (result != MODELOOM_OK)
        return result;
    return send(dma, DMA_COMMANDS, dma->commands, run->commands * command_bytes(dma->core), 0);
}

/* Waits for the statuses and for all data that belong to them. Gives the result of the first command that was refused. */
static enum modeloom_result take_results(struct dma *dma, struct run *run)
{
    const struct modeloom *core = dma->core;
    enum modeloom_result result, first = MODELOOM_OK;
    unsigned at, number, code, right = 0;
    size_t outputs = 0;

    /* The core also takes the packet of a command that it refuses, and the next one must not follow before its end. */
    if ((result = wait_for(dma, DMA_STATUSES, 1)) != MODELOOM_OK || (result = wait_for(dma, DMA_COMMANDS, 1)) != MODELOOM_OK ||
        (result = wait_for(dma, DMA_INPUT, run->inputs)) != MODELOOM_OK)
        return result;
    for (at = 0; at < run->commands; at++) {
        const uint8_t *beat = dma->statuses + at * status_bytes(core);

        if (core->kind == MODELOOM_MESSAGES)
            modeloom_message_status(&core->layout, beat, &number, &code, run->tag);
        else
            modeloom_sector_status(beat, &number, &code);
        if (number != (uint16_t)(dma->number + at))
            return MODELOOM_BUS;
        result = modeloom_result_of(core->kind, code);
        if (result == MODELOOM_OK)
            outputs += run->gives_data != 0;
        if (first == MODELOOM_OK)
            first = result;
        right += first == MODELOOM_OK;
    }
    /* The core has given all these data before their statuses, but the engine may still have to write them. */
    if ((result = wait_for(dma, DMA_OUTPUT, outputs)) != MODELOOM_OK)
        return result;
    run->right = right;
    return first;
}

/* Removes the buffers that refused commands have left. After a fault of a stream, only an erasure removes parts of packets. */
static enum modeloom_result end(struct dma *dma, const struct run *run, enum modeloom_result result)
{
    static const enum dma_stream STREAMS[] = {DMA_COMMANDS, DMA_INPUT, DMA_OUTPUT, DMA_STATUSES};
    unsigned at;

    for (at = 0; at < sizeof STREAMS / sizeof *STREAMS; at++)
        if (dma->stop(dma->context, STREAMS[at]))
            result = MODELOOM_BUS;
    if (result == MODELOOM_TIMEOUT || result == MODELOOM_BUS)
        (void)modeloom_zeroize(dma->core, dma->polls);
    dma->number = (uint16_t)(dma->number + run->commands);
    return result;
}

/* -- sectors ------------------------------------------------------------------------------------------------------ */

static enum modeloom_result put_sector_command(struct dma *dma, const struct dma_sectors *sectors, size_t sector, unsigned at)
{
    uint64_t left = sectors->first + sector;
    uint8_t tweak[TWEAK_BYTES]; /* the command has zeros behind it */
    const struct modeloom_sector command = {
        .tweak = tweak,
        .tweak_bytes = sizeof tweak,
        .number = (uint16_t)(dma->number + at),
        .slot = sectors->slot,
        .size = sectors->size,
        .decrypt = sectors->decrypt,
    };
    unsigned byte;

    for (byte = 0; byte < TWEAK_BYTES; byte++, left >>= 8)
        tweak[byte] = (uint8_t)left;
    return modeloom_sector_command(dma->commands + at * command_bytes(dma->core), &command);
}

/* Queues a run of sectors from one on. */
static enum modeloom_result queue_sectors(struct dma *dma, const struct dma_sectors *sectors, size_t from, struct run *run)
{
    enum modeloom_result result;
    unsigned at;

    for (at = 0; at < run->commands; at++) {
        const size_t place = (from + at) * sectors->sector_bytes;

        if ((result = put_sector_command(dma, sectors, from + at, at)) != MODELOOM_OK ||
            (result = receive(dma, DMA_OUTPUT, sectors->out + place, sectors->sector_bytes)) != MODELOOM_OK ||
            (result = send(dma, DMA_INPUT, sectors->in + place, sectors->sector_bytes, 1)) != MODELOOM_OK)
            return result;
    }
    run->inputs = run->commands;
    return send_commands(dma, run);
}

enum modeloom_result dma_sectors(struct dma *dma, const struct dma_sectors *sectors, size_t *right)
{
    enum modeloom_result result = MODELOOM_OK;

    *right = 0;
    if (!fits(dma, MODELOOM_SECTORS))
        return MODELOOM_BAD_COMMAND;
    while (result == MODELOOM_OK && *right < sectors->count) {
        const size_t left = sectors->count - *right;
        struct run run = {.commands = left < dma->most ? (unsigned)left : dma->most, .gives_data = 1};

        result = queue_sectors(dma, sectors, *right, &run);
        if (result == MODELOOM_OK)
            result = take_results(dma, &run);
        result = end(dma, &run, result);
        *right += run.right;
    }
    return result;
}

/* -- messages ----------------------------------------------------------------------------------------------------- */

enum way { SEAL, SEAL_AGAIN, OPEN };

/* Queues the packet of a message. Its parts begin with beats of their own, and an empty part has no beat. */
static enum modeloom_result queue_packet(struct dma *dma, const struct dma_message *message, struct run *run)
{
    const uint8_t *parts[] = {message->associated, message->in};
    const size_t bytes[] = {message->associated_bytes, message->text_bytes};
    const unsigned first = dma->core->layout.text_first ? 1 : 0, second = 1 - first;
    enum modeloom_result result;

    if (bytes[first]) {
        run->inputs++;
        if ((result = send(dma, DMA_INPUT, parts[first], bytes[first], bytes[second] == 0)) != MODELOOM_OK)
            return result;
    }
    if (bytes[second] || !bytes[first]) {
        run->inputs++;
        return send(dma, DMA_INPUT, parts[second], bytes[second], 1);
    }
    return MODELOOM_OK;
}

static enum modeloom_result queue_message(struct dma *dma, const struct dma_message *message, struct run *run)
{
    enum modeloom_result result = MODELOOM_OK;

    if (run->gives_data)
        result = receive(dma, DMA_OUTPUT, message->out, message->text_bytes);
    if (result == MODELOOM_OK)
        result = queue_packet(dma, message, run);
    return result == MODELOOM_OK ? send_commands(dma, run) : result;
}

/* Sends a message through the core once. */
static enum modeloom_result run_message(struct dma *dma, const struct dma_message *message, enum way way, struct run *run)
{
    const struct modeloom_layout *layout = &dma->core->layout;
    const struct modeloom_message command = {
        .nonce = message->nonce,
        .nonce_bytes = message->nonce_bytes,
        .tag = message->tag,
        .tag_bytes = message->tag_bytes,
        .associated_bytes = message->associated_bytes,
        .text_bytes = message->text_bytes,
        .number = dma->number,
        .slot = message->slot,
        .open = way == OPEN,
        .second_pass = way == SEAL_AGAIN,
    };
    enum modeloom_result result;

    *run = (struct run){.commands = 1, .gives_data = message->text_bytes && !(way == SEAL && layout->two_passes)};
    if ((result = modeloom_message_command(layout, dma->commands, command_bytes(dma->core), &command)) != MODELOOM_OK)
        return result;
    result = queue_message(dma, message, run);
    if (result == MODELOOM_OK)
        result = take_results(dma, run);
    return end(dma, run, result);
}

enum modeloom_result dma_seal(struct dma *dma, const struct dma_message *message)
{
    enum modeloom_result result;
    struct run run;
    size_t at;

    if (!fits(dma, MODELOOM_MESSAGES))
        return MODELOOM_BAD_COMMAND;
    if ((result = run_message(dma, message, SEAL, &run)) != MODELOOM_OK)
        return result;
    for (at = 0; at < message->tag_bytes; at++)
        message->tag[at] = run.tag[at];
    /* The first pass gives the tag alone, and the second one needs it. */
    if (!dma->core->layout.two_passes || !message->text_bytes)
        return MODELOOM_OK;
    return run_message(dma, message, SEAL_AGAIN, &run);
}

enum modeloom_result dma_open(struct dma *dma, const struct dma_message *message)
{
    enum modeloom_result result = MODELOOM_BAD_COMMAND;
    struct run run;

    if (fits(dma, MODELOOM_MESSAGES))
        result = run_message(dma, message, OPEN, &run);
    /* The core may give text before it knows that the tag is wrong. */
    if (result != MODELOOM_OK)
        clear(message->out, message->text_bytes);
    return result;
}
