/* tools.h - the tools as a page for people: docs/tools.md is this. */
#ifndef CLI_TOOLS_H
#define CLI_TOOLS_H

#include "base/buf.h"

void tools_page(Buf *to);

#endif
