/* as_of.h - a pad as it was at a moment: a store that shows another one, and writes nothing.
 *
 * Every stream ends with its newest record that is not younger than the moment; what came later is
 * not there, and what was deleted later is.  So code that reads a pad reads its past with the same
 * code.  What was purged, redacted or trimmed since is gone from the past too.
 *
 * A record is found by halving over the stream, because times never go back in it.  What looks at
 * every stream costs that for each one that has changed since. */
#ifndef STORE_AS_OF_H
#define STORE_AS_OF_H

#include "store/store.h"

/* `of` stays its owner's and must outlive it.  Never NULL. */
Store *store_as_of(Store *of, int64_t at_ms);

#endif
