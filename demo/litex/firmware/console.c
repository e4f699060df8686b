/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include <generated/csr.h>
#include <stddef.h>

/* The compiler may call these two. */
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

void *memcpy(void *to, const void *from, size_t count)
{
    size_t at;

    for (at = 0; at < count; at++)
        ((uint8_t *)to)[at] = ((const uint8_t *)from)[at];
    return to;
}

void *memset(void *to, int value, size_t count)
{
    size_t at;

    for (at = 0; at < count; at++)
        ((uint8_t *)to)[at] = (uint8_t)value;
    return to;
}

static void character(char one)
{
    while (uart_txfull_read())
        ;
    uart_rxtx_write((uint8_t)one);
}

void text(const char *string)
{
    while (*string)
        character(*string++);
}

static void digits(uint32_t value, uint32_t base)
{
    if (value >= base)
        digits(value / base, base);
    character("0123456789abcdef"[value % base]);
}

void number(uint32_t value)
{
    digits(value, 10);
}

void hexadecimal(uint32_t value)
{
    digits(value, 16);
}

_Noreturn void finish(int status)
{
    while (!uart_txempty_read())
        ;
    finish_status_write((uint32_t)status);
    for (;;)
        ;
}

void require(int condition, const char *what)
{
    if (!condition) {
        text("FAIL: ");
        text(what);
        text("\n");
        finish(1);
    }
}

_Noreturn void trapped(uint32_t cause, uint32_t where)
{
    text("FAIL: trap ");
    number(cause);
    text(" at 0x");
    hexadecimal(where);
    text("\n");
    finish(2);
}
