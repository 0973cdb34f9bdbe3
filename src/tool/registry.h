/* registry.h - which nouns there are.  Which tools there are is in tool.h. */
#ifndef TOOL_REGISTRY_H
#define TOOL_REGISTRY_H

#include "tool/verb.h"

/* All nouns whose verbs are declared as rows: the i-th, or NULL after the last. */
const Noun *noun_at(size_t i);

#endif
