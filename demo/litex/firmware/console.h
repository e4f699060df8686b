/* SPDX-License-Identifier: Apache-2.0 */
/* What the firmware needs of a C library: text on the serial port, the end of the simulation, and what the compiler calls. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

void text(const char *string);
void number(uint32_t value); /* in decimal digits */
void hexadecimal(uint32_t value);

/* Ends the simulation with an exit status, once all text is out. */
_Noreturn void finish(int status);

/* Ends the simulation with a line, if a condition does not hold. */
void require(int condition, const char *what);

/* Called by start.S after a trap. */
_Noreturn void trapped(uint32_t cause, uint32_t where);

#endif
