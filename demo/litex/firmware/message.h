/* SPDX-License-Identifier: Apache-2.0 */
/* One message: its packet for the DMA, its command, and what must come back. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "transfer.h"

/* Codes of statuses. */
enum { OK = 0, WRONG_TAG = 1, NO_KEY = 6 };

/* A message of example.h. */
struct message {
    const uint8_t *key, *nonce, *associated, *plain, *cipher, *tag;
    uint16_t key_bytes, nonce_bytes, associated_bytes, text_bytes, tag_bytes, slot;
    int forged; /* opening it must fail; plain is not read then */
};

/* Puts the packet of a message, with its lengths, to an address. Gives its bytes, which are whole words. */
size_t put_packet(uint8_t *to, const struct message *message, int open);

/* Makes the command of a message. */
void put_command(const struct modeloom *core, unsigned at, const struct message *message, int open);

/* The bytes that come out of a message with this status, rounded up to words. */
size_t result_bytes(const struct message *message, int open, unsigned code);

/* Whether they are right: text, and zeros up to a whole word. What comes out of a message that failed is not compared. */
int is_result(const uint8_t *at, const struct message *message, int open);

/* Whether the tag of a status is that of the sealed message, or zeros. */
int is_tag(const uint8_t tag[16], const struct message *message, int sealed);

#endif
