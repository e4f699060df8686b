/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver for cores of modeloom that have registers (modeloom build MODE --front registers).
 *
 * It needs no operating system and allocates nothing. The user gives two functions that read and write a register:
 *
 *     static int read32(void *context, uint32_t offset, uint32_t *value);
 *     static int write32(void *context, uint32_t offset, uint32_t value);
 *
 * Commands, data and statuses go over the streams of the core, which a DMA engine feeds. The functions that make a command
 * and read a status are below, and demo/dma of modeloom is an example that calls them.
 */
#ifndef MODELOOM_H
#define MODELOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function of this driver returns. */
enum modeloom_result {
    MODELOOM_OK = 0,
    MODELOOM_BUS,         /* the bus or the registers refused an access */
    MODELOOM_NO_CORE,     /* there is no core of modeloom at this place */
    MODELOOM_BAD_SLOT,    /* the core has no such key slot */
    MODELOOM_BAD_LENGTH,  /* a length does not fit, or there are no bytes of this length: their pointer is NULL */
    MODELOOM_TIMEOUT,     /* the core was not done in time */
    MODELOOM_KEY_REFUSED, /* the mode refuses this key, or an erasure removed it while it was loaded */
    MODELOOM_NO_COMMANDS, /* commands of this core do not go over registers */
    MODELOOM_BAD_COMMAND, /* a command asks for what this core cannot do */
    MODELOOM_NO_KEY,      /* the slot of a command holds no key that is ready */
    MODELOOM_WRONG_TAG,   /* the tag of a message is wrong, and its text must be discarded */
    MODELOOM_BAD_PACKET   /* the bytes of a packet are not in beats as the core takes them */
};

/* What a core works on. */
enum modeloom_kind { MODELOOM_SECTORS = 1, MODELOOM_MESSAGES = 2 };

/* Events, as bits of masks. */
enum modeloom_event { MODELOOM_KEY_DONE = 1, MODELOOM_ZEROIZED = 2, MODELOOM_FAILED = 4 };

/* Counters of modeloom_count. */
enum modeloom_counter {
    MODELOOM_CYCLES,         /* cycles since modeloom_clear_counters */
    MODELOOM_COMMANDS,       /* commands that the core has taken */
    MODELOOM_SUCCEEDED,      /* statuses with the code OK */
    MODELOOM_FAILURES,       /* statuses with another code */
    MODELOOM_BYTES_IN,
    MODELOOM_BYTES_OUT,
    MODELOOM_COMMAND_WAITS,  /* cycles in which a command waited for the core */
    MODELOOM_IN_WAITS,       /* cycles in which data in waited for the core */
    MODELOOM_IN_IDLE,        /* cycles in which the core waited for data in */
    MODELOOM_OUT_WAITS,      /* cycles in which data out waited for the host */
    MODELOOM_OUT_IDLE,       /* cycles in which the host waited for data out */
    MODELOOM_STATUS_WAITS    /* cycles in which a status waited for the host */
};

/* How registers are reached. read and write return 0, or something else if the bus refuses an access. */
struct modeloom_bus {
    int (*read)(void *context, uint32_t offset, uint32_t *value);
    int (*write)(void *context, uint32_t offset, uint32_t value);
    void (*wait)(void *context); /* called between polls; may be NULL */
    void *context;
};

/*
 * What commands and statuses of a core for messages have, which depends on its mode. modeloom_open reads it from the core. For a core
 * without registers, the user sets it as its datasheet says.
 */
struct modeloom_layout {
    unsigned block_bytes; /* bytes for a nonce and for a tag; 0 if the core is not for messages */
    int states_text;      /* whether commands have the number of bytes of text */
    int text_first;       /* whether they have it in place of that of associated data, since text comes first */
    int two_passes;       /* whether a message to seal goes through the core twice */
    int keys_inline;      /* whether keys come with messages; never in a core with registers */
};

/* A core. Its members are read by modeloom_open, and are for reading. */
struct modeloom {
    struct modeloom_bus bus;
    enum modeloom_kind kind;
    unsigned major, minor, patch; /* the version of modeloom that built it */
    uint32_t build;               /* tells builds of different cores apart */
    int encrypts, decrypts;
    unsigned beat_bytes; /* bytes of a beat of data */
    unsigned key_slots;
    unsigned key_bytes; /* bytes of the longest key */
    int takes_commands; /* whether commands go over registers, as modeloom_commands.h has them */
    struct modeloom_layout layout; /* of its commands and statuses, if it is for messages */
};

/* Looks for a core. MODELOOM_NO_CORE if there is none. */
enum modeloom_result modeloom_open(struct modeloom *core, const struct modeloom_bus *bus);

/*
 * Loads a key and waits until the core has prepared it, for at most so many polls. The driver keeps no copy of it.
 * MODELOOM_KEY_REFUSED if its length or its value is not one that the mode takes, or if an erasure of everything removed it
 * while it was loaded. The slot is empty then. MODELOOM_BUS if an erasure removed words of the key before they were sent: load it again.
 */
enum modeloom_result modeloom_load_key(struct modeloom *core, unsigned slot, const uint8_t *key, size_t bytes, unsigned long polls);

/* Erases a slot and waits until nothing is left of its key, for at most so many polls. */
enum modeloom_result modeloom_erase_key(struct modeloom *core, unsigned slot, unsigned long polls);

/*
 * Whether a slot holds a key that is ready. With more than 64 slots, no register has a bit for each slot: the answer is then that of the
 * slot whose key was loaded or erased last, whatever slot is asked for.
 */
enum modeloom_result modeloom_has_key(struct modeloom *core, unsigned slot, int *loaded);

/* Erases all keys and data, and waits until this is done, for at most so many polls. All work in the core is lost. */
enum modeloom_result modeloom_zeroize(struct modeloom *core, unsigned long polls);

/* Chooses the events that raise the interrupt. */
enum modeloom_result modeloom_enable(struct modeloom *core, uint32_t events);

/* Gives the events that have come, and clears them. An interrupt handler calls this. */
enum modeloom_result modeloom_take_events(struct modeloom *core, uint32_t *events);

/* The last status that was not OK: its code, and the number of its command. */
enum modeloom_result modeloom_last_failure(struct modeloom *core, unsigned *code, unsigned *number);

/* Reads a counter. */
enum modeloom_result modeloom_count(struct modeloom *core, enum modeloom_counter which, uint64_t *value);

/* Sets all counters to zero. */
enum modeloom_result modeloom_clear_counters(struct modeloom *core);

/* -- commands and statuses ---------------------------------------------------------------------------------------- */

enum { MODELOOM_SECTOR_COMMAND_BYTES = 40, MODELOOM_SECTOR_STATUS_BYTES = 4 };

/* Bytes of the longest command and status of a core for messages whose blocks have 16 bytes, as in all modes of modeloom. */
enum { MODELOOM_MOST_MESSAGE_COMMAND_BYTES = 56, MODELOOM_MOST_MESSAGE_STATUS_BYTES = 20 };

/* A command for a sector. */
struct modeloom_sector {
    const uint8_t *tweak;
    size_t tweak_bytes; /* at most 32 */
    uint16_t number;    /* its status returns it */
    uint8_t slot;
    uint8_t size; /* the index of the size; 0 if the core has one */
    int decrypt;
};

/*
 * A command for a message. Members that the layout of the core does not have are not read, except as they say. tag is the tag of a
 * message to open, or to seal in a second pass, and is not read otherwise. It may be NULL, and the command has zeros in its place: a core
 * that was built with --packet wire takes tags from packets alone. Another core then returns WRONG_TAG, unless the tag is zeros.
 */
struct modeloom_message {
    const uint8_t *nonce;
    size_t nonce_bytes; /* at most those of a block */
    const uint8_t *tag;
    size_t tag_bytes; /* at most those of a block */
    uint64_t associated_bytes;
    uint64_t text_bytes;
    uint16_t number; /* its status returns it */
    uint16_t slot;
    uint8_t channel;
    int open;        /* 1 to open a message, 0 to seal one */
    int second_pass; /* 1 for the second pass of a message to seal; the core has to have two passes */
    int new_key;     /* 1 if a key comes with this message; keys of the core have to come with messages */
};

/* Makes the beat of a command. MODELOOM_BAD_LENGTH if a length is too large. */
enum modeloom_result modeloom_sector_command(uint8_t beat[MODELOOM_SECTOR_COMMAND_BYTES], const struct modeloom_sector *sector);

/* Bytes of a command and of a status of a core for messages; 0 if the layout is not one of messages. */
size_t modeloom_message_command_bytes(const struct modeloom_layout *layout);
size_t modeloom_message_status_bytes(const struct modeloom_layout *layout);

/*
 * Makes the beat of a command for a message. bytes are those of beat.
 * MODELOOM_BAD_LENGTH if they are not modeloom_message_command_bytes, or if a length is too large.
 * MODELOOM_BAD_COMMAND if the core is not for messages, or if the message wants a second pass or a key that the core does not know.
 */
enum modeloom_result modeloom_message_command(const struct modeloom_layout *layout, uint8_t *beat, size_t bytes,
                                              const struct modeloom_message *message);

/* The codes of statuses of a core for sectors. */
enum modeloom_sector_code {
    MODELOOM_SECTOR_OK,
    MODELOOM_SECTOR_TOO_SHORT,
    MODELOOM_SECTOR_TOO_LONG,
    MODELOOM_SECTOR_BAD_KEEP,
    MODELOOM_SECTOR_NO_KEY,
    MODELOOM_SECTOR_NO_DIRECTION,
    MODELOOM_SECTOR_UNKNOWN_SIZE
};

/* The codes of statuses of a core for messages. */
enum modeloom_message_code {
    MODELOOM_MESSAGE_OK,
    MODELOOM_MESSAGE_WRONG_TAG,
    MODELOOM_MESSAGE_TOO_SHORT,
    MODELOOM_MESSAGE_TOO_LONG_TO_HOLD,
    MODELOOM_MESSAGE_TOO_LONG,
    MODELOOM_MESSAGE_BAD_KEEP,
    MODELOOM_MESSAGE_NO_KEY,
    MODELOOM_MESSAGE_NO_DIRECTION,
    MODELOOM_MESSAGE_NO_CHANNEL,
    MODELOOM_MESSAGE_BAD_TAG_LENGTH,
    MODELOOM_MESSAGE_BAD_NONCE_LENGTH
};

/* What the code of a status says. MODELOOM_BAD_LENGTH for all lengths that the core refuses. */
enum modeloom_result modeloom_result_of(enum modeloom_kind kind, unsigned code);

/* Reads the beat of a status: the number of its command, and its code, which is 0 for OK. */
void modeloom_sector_status(const uint8_t beat[MODELOOM_SECTOR_STATUS_BYTES], unsigned *number, unsigned *code);

/* The same for a message. tag gets the bytes of a block, of which the first ones are the tag of a sealed message. It may be NULL. */
void modeloom_message_status(const struct modeloom_layout *layout, const uint8_t *beat, unsigned *number, unsigned *code, uint8_t *tag);

#ifdef __cplusplus
}
#endif

#endif
