/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends sectors and messages through a core of modeloom whose commands, data and statuses go over DMA engines.
 *
 *     cc -std=c11 -I CORE -c demo/dma/dma.c CORE/modeloom.c        CORE is the folder of the core
 *
 * It needs no operating system and allocates nothing. Descriptors are those of the user's DMA engine: the user fills struct dma with
 * functions that queue a buffer, say how many are done, and stop. The core has registers, and the driver has opened it and loaded keys.
 * The example is not for cores with --commands registers, --packet wire or several channels.
 */
#ifndef DMA_H
#define DMA_H

#include "modeloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The streams of a core, each with an engine of its own. */
enum dma_stream {
    DMA_COMMANDS, /* memory to s_axis_cmd */
    DMA_INPUT,    /* memory to s_axis */
    DMA_OUTPUT,   /* m_axis to memory */
    DMA_STATUSES  /* m_axis_status to memory */
};

/*
 * The functions of the user, for the DMA engines of a core. Each but wait returns 0, or something else if it fails.
 * An engine takes the buffers of its stream in order.
 */
struct dma {
    struct modeloom *core;
    void *context; /* goes to all functions */

    /*
     * Queues a buffer to send. It begins with a beat of its own, in which byte 0 is the first one, and tkeep has a one for each byte.
     * last asks for tlast in its last beat. A message without associated data and text is a buffer of 0 bytes: one beat with tkeep 0.
     * A buffer of commands has whole commands, a beat each, without tkeep and tlast. With a cache, clean the buffer here.
     */
    int (*send)(void *context, enum dma_stream stream, const void *at, size_t bytes, int last);

    /*
     * Queues a buffer to fill. A buffer for output is done after the beat with tlast, and gets only bytes that tkeep has. A buffer for
     * statuses has whole statuses, a beat each, and is done when it is full.
     */
    int (*receive)(void *context, enum dma_stream stream, void *at, size_t bytes);

    /* Says how many buffers of a stream are done since the last stop. With a cache, invalidate the buffers that were filled here. */
    int (*done)(void *context, enum dma_stream stream, size_t *buffers);

    /*
     * Forgets all buffers of a stream, done or not, and drops what the engine holds. It does not touch them afterwards, and offers no
     * beat to the core. The next buffer begins a new packet. With many engines, this is their reset.
     */
    int (*stop)(void *context, enum dma_stream stream);

    /* Called while nothing is done. It may sleep until the next interrupt of an engine or of the core. NULL to poll. */
    void (*wait)(void *context);

    uint8_t *commands; /* DMA_COMMAND_BYTES for each of most commands, where engines reach them */
    uint8_t *statuses; /* DMA_STATUS_BYTES for each of most statuses */
    unsigned most;     /* commands at once, 1 to 65536: as many buffers of input and of output, but at least 2 of input for a message */
    unsigned long polls; /* after so many polls of a stream, the core or an engine is stuck */
    uint16_t number;     /* of the next command; any number at the beginning */
};

enum {
    DMA_COMMAND_BYTES = MODELOOM_MOST_MESSAGE_COMMAND_BYTES, /* not less than those of a sector */
    DMA_STATUS_BYTES = MODELOOM_MOST_MESSAGE_STATUS_BYTES
};

/* Sectors that follow each other in memory. */
struct dma_sectors {
    const uint8_t *in;
    uint8_t *out; /* apart from in: results behind a sector that was refused are in the places of those before them */
    size_t sector_bytes;
    size_t count;
    uint64_t first; /* the number of the first sector. The tweak of a sector is its number, little-endian */
    uint8_t slot;
    uint8_t size; /* the index of the size; 0 if the core has one */
    int decrypt;
};

/* A message. */
struct dma_message {
    const uint8_t *nonce;
    size_t nonce_bytes;
    const uint8_t *associated;
    size_t associated_bytes;
    const uint8_t *in; /* the text, which in a core with two passes is read twice to seal */
    uint8_t *out;      /* as many bytes, apart from in */
    size_t text_bytes;
    uint8_t *tag; /* written by dma_seal, read by dma_open */
    size_t tag_bytes;
    uint16_t slot;
};

/*
 * These functions return what the status of the first refused command says: MODELOOM_NO_KEY, MODELOOM_BAD_LENGTH and so on. The core and
 * its keys remain as they are, and the next call may follow at once.
 *
 * MODELOOM_BAD_COMMAND also stands for a core of the other kind, or one with commands over registers.
 * MODELOOM_TIMEOUT if a stream is stuck, and MODELOOM_BUS if a function of the user fails, or if a status belongs to another command. All
 * streams are then stopped, and the core is erased, because it may have a part of a packet: load its keys again.
 */

/* Encrypts or decrypts sectors. right is the number of sectors before the first one that was refused; out is valid up to there. */
enum modeloom_result dma_sectors(struct dma *dma, const struct dma_sectors *sectors, size_t *right);

/* Seals a message: out and tag are valid if it returns MODELOOM_OK. */
enum modeloom_result dma_seal(struct dma *dma, const struct dma_message *message);

/* Opens a message. If it does not return MODELOOM_OK, such as for MODELOOM_WRONG_TAG, out has zeros. */
enum modeloom_result dma_open(struct dma *dma, const struct dma_message *message);

#ifdef __cplusplus
}
#endif

#endif
