/* template.h - one line made from data: how a verb's row says what its answer looks like.
 *
 *   "{task_id}: {status}"                     members of the data, by name; a.b is a member's
 * member
 *   "{status:-9}  {priority:6}"               to the left, or to the right, of so many columns
 *   "task {'task_id} is {status}"             in single quotes, on one line, cut if it is long
 *   "{damaged#record}"                        counted: "1 record", "2 records"
 *   "{^description}"                          its first line
 *   "{=why}"                                  as it is: a sentence of ours
 *   "{manual&  (manual)}"                     these words, if the member stands
 *   "{by}[  {reason}][ of {total}{!all}]"     a part in brackets stands only if all its members do;
 *                                             {?x} is asked for and not shown, {!x} must not stand
 *
 * A member that is missing, null, false, 0 or empty does not stand.  An array is shown as the
 * number of its items.  The templates are ours and constant, the data is anybody's: nothing in a
 * value is taken for a part of the template. */
#ifndef TOOL_TEMPLATE_H
#define TOOL_TEMPLATE_H

#include "base/buf.h"
#include "base/json.h"

typedef enum TemplateStyle {
    TEMPLATE_FRAMED, /* for a model: a name that could be mistaken for our words is quoted */
    TEMPLATE_PLAIN,  /* for a person: the bytes as they are, which the terminal's door shows */
} TemplateStyle;

void template_add(Buf *to, const char *template, const json_t *data, TemplateStyle style);
void template_add_str(Buf *to, Str template, const json_t *data, TemplateStyle style);

/* The member at a path, NULL if there is none. */
const json_t *template_member(const json_t *data, Str path);

/* "1 record", "2 records", "2 replies". */
typedef struct Counted {
    char text[48];
} Counted;
Counted counted(uint64_t n, const char *what);

#endif
