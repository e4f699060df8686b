/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals messages in the RAM of the SoC with the core behind DMA, compares ciphertexts and tags with what messages.py has chosen or
 * computed, and opens them again. Forged messages between others must fail, and the others must not. At last it erases a key, which the
 * core then refuses to use. The last line is PASS or FAIL, and is the exit status, too.
 */
#include "console.h"
#include "example.h"
#include "message.h"

enum { FILL = 0xa5, MOST_BYTES = MAIN_RAM_SIZE / 4 };

/* What is under way: check has no other way to know of it. */
static const struct message *sent;
static int opened, refused;

static unsigned code_of(const struct message *message)
{
    return refused ? NO_KEY : opened && message->forged ? WRONG_TAG : OK;
}

static void check(unsigned at, const struct status *status)
{
    require(status->code == code_of(sent + at), sent[at].forged ? "a forged message was taken" : "a status has another code");
    require(is_tag(status->tag, sent + at, !opened && !refused), "a tag is not the one of the message");
}

/* Sends messages through the core, and compares what comes back. Gives their cost. */
static struct cost run(struct modeloom *core, const struct message *messages, unsigned count, int open)
{
    struct transfer all = {count, 0, 0, check};
    struct cost cost;
    unsigned at;

    sent = messages;
    opened = open;
    for (at = 0; at < count; at++) {
        all.source_bytes += put_packet(source + all.source_bytes, messages + at, open);
        all.result_bytes += result_bytes(messages + at, open, code_of(messages + at));
        put_command(core, at, messages + at, open);
    }
    require(all.source_bytes <= MOST_BYTES && all.result_bytes <= MOST_BYTES, "the messages are too long for the RAM");
    for (at = 0; at < all.result_bytes; at++)
        result[at] = FILL;
    cost = transfer(core, &all);
    all.result_bytes = 0;
    for (at = 0; at < count; at++) {
        if (code_of(messages + at) == OK)
            require(is_result(result + all.result_bytes, messages + at, open),
                    open ? "a plaintext did not come back" : "a ciphertext is not the one of the message");
        all.result_bytes += result_bytes(messages + at, open, code_of(messages + at));
    }
    return cost;
}

static void tell(const struct example *example, int open, struct cost cost)
{
    const struct message *messages = MESSAGES + example->first;
    unsigned least = messages->text_bytes, most = 0, at;

    for (at = 0; at < example->count; at++) {
        least = messages[at].text_bytes < least ? messages[at].text_bytes : least;
        most = messages[at].text_bytes > most ? messages[at].text_bytes : most;
    }
    text(open ? "opened " : "sealed ");
    number(example->count);
    text(example->what);
    number(least);
    if (least != most) {
        text(" to ");
        number(most);
    }
    tell_cost(&cost, example->count, "message");
}

static void run_example(struct modeloom *core, const struct example *example)
{
    const struct message *messages = MESSAGES + example->first;
    unsigned at, slots = 0;

    for (at = 0; at < example->count; at++)
        if (messages[at].slot == slots)
            load_key(core, slots++, messages[at].key, messages[at].key_bytes);
    if (core->encrypts && !example->opened_only)
        tell(example, 0, run(core, messages, example->count, 0));
    if (core->decrypts)
        tell(example, 1, run(core, messages, example->count, 1));
}

int main(void)
{
    struct modeloom core;
    unsigned at;

    open_core(&core, MODE);
    for (at = 0; at < sizeof EXAMPLES / sizeof EXAMPLES[0]; at++)
        run_example(&core, EXAMPLES + at);
    erase_key(&core, MESSAGES->slot);
    refused = 1;
    run(&core, MESSAGES, 1, !core.encrypts);
    text("erased key: the core refuses a message with status 6, and gives no text\n");
    text("PASS\n");
    return 0;
}
