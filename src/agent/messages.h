/* messages.h - what a model sees of a transcript.
 *
 * Results that were cleared are shown as a line that says how to read them again,
 * unless that line is longer than they are; failures always stay.  A turn is never
 * shown in part. */
#ifndef AGENT_MESSAGES_H
#define AGENT_MESSAGES_H

#include "agent/transcript.h"

typedef struct MessageList {
    LlmMessage *items;
    size_t n;
} MessageList;

/* Everything but system and tools.  Lives in `into`, and borrows from the transcript. */
MessageList messages_of(const Transcript *t, Arena *into);

/* The whole request that asks the model to continue; likewise. */
LlmRequest request_of(const Transcript *t, Arena *into);

#endif
