/* cycle_state_list.h - two lists that began as one, joined item by item.
 *
 * What a list promises after both have changed it:
 *   - an item that one side added is there, one that one side removed is not: of items that are
 *     equal as many as the changes of both sides leave, counted;
 *   - the order is the person's, and what the cycle added stands where it put it, after what the
 *     person put there;
 *   - if only one side changed it, it is that side's.
 *
 * It is a three-way merge on items (diff.h).  Positions alone are not enough: moving an item has
 * removed and added it, and would bring back what the other side has finished.  So the diffs say
 * where, and the counts how often. */
#ifndef MEMORY_CYCLE_CYCLE_STATE_LIST_H
#define MEMORY_CYCLE_CYCLE_STATE_LIST_H

#include "base/yaml.h"

/* `base` may be NULL: both began with nothing.  *clashed: both replaced the same items, by
 * something else each; what either put there is in the list.  *compared counts comparisons of
 * items.  The list is in `a`, its items are borrowed. */
Yaml *cycle_state_join_lists(Arena *a, const Yaml *base, const Yaml *ours, const Yaml *theirs,
                             bool *clashed, size_t *compared);

#endif
