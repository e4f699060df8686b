/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands and statuses over registers, for cores of modeloom that have them (modeloom build MODE --front registers
 * --commands registers). It goes with modeloom.c, whose functions make the bytes of commands. Data go over streams.
 * The member takes_commands of a core says whether it has them. Without them, these functions return MODELOOM_NO_COMMANDS.
 */
#ifndef MODELOOM_COMMANDS_H
#define MODELOOM_COMMANDS_H

#include "modeloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* More events of modeloom_enable and modeloom_take_events. */
enum modeloom_command_event { MODELOOM_STATUS_CAME = 8, MODELOOM_COMMAND_TAKEN = 16 };

enum { MODELOOM_MOST_TAG_BYTES = 32 };

/* A status. */
struct modeloom_status {
    unsigned number; /* of its command */
    unsigned code;   /* 0 for OK */
    unsigned channel;
    uint8_t tag[MODELOOM_MOST_TAG_BYTES]; /* of a sealed message; zeros otherwise */
};

/*
 * Submits the bytes of a command, as modeloom_sector_command and modeloom_message_command make them. If the one before still waits
 * for the core, it waits for at most so many polls. MODELOOM_BAD_LENGTH if the commands of this core have another length.
 */
enum modeloom_result modeloom_submit(struct modeloom *core, const uint8_t *command, size_t bytes, unsigned long polls);

/*
 * Takes the oldest status, if there is one. The core keeps statuses until they are taken. With the event MODELOOM_STATUS_CAME, take
 * the events first, and then statuses until there is none.
 */
enum modeloom_result modeloom_poll(struct modeloom *core, struct modeloom_status *status, int *there);

/* The same, and waits for a status for at most so many polls. */
enum modeloom_result modeloom_wait_status(struct modeloom *core, struct modeloom_status *status, unsigned long polls);

#ifdef __cplusplus
}
#endif

#endif
