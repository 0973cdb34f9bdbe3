/* tokens.c - the estimate: one pass that sorts characters into classes, and a weight a class.
 *
 * A tokenizer first cuts a text into words, numbers, runs of punctuation and
 * space, and then spells each piece with as few known tokens as it can.  The
 * first half is simple enough to follow; what the second half does is, on
 * average, a weight.  The weights are thousandths of a token and were fitted to
 * o200k_base.  Every weight is positive and every counter only grows, so that a
 * longer beginning of a text never costs less than a shorter one: tokens_cut()
 * rests on that. */
#include "memory/tokens.h"

#include "base/utf8.h"

/* clang-format off */
static const uint64_t weights[TOKEN_CLASSES] = {
    [TOKEN_WORDS]       =  939,
    [TOKEN_LONG]        =  271,
    [TOKEN_CAPS]        =   59,
    [TOKEN_DIGITS]      = 1327,
    [TOKEN_MARKS]       =  791,
    [TOKEN_MORE_MARKS]  =  228,
    [TOKEN_BREAKS]      =  751,
    [TOKEN_INDENTS]     =  352,
    [TOKEN_CJK]         =  780,
    [TOKEN_OTHER_WORDS] =  693,
    [TOKEN_OTHER]       =  210,
    [TOKEN_ACCENTS]     =  800,
};
/* clang-format on */

enum { WORD_SHORT = 7, DIGITS_GROUP = 3 };

/* What kind of character it is. */
typedef enum Sort { LOWER, UPPER, DIGIT, MARK, BREAK, SPACE, CJK, OTHER, ACCENTED } Sort;

/* One pass over a text. */
typedef struct Scan {
    uint64_t sum;  /* in thousandths of a token */
    Sort last;     /* of the character before; meaningful if `length` */
    size_t length; /* of the run the character before belongs to */
} Scan;

static Sort sort_ascii(uint32_t c)
{
    if (c >= 'a' && c <= 'z')
        return LOWER;
    if (c >= 'A' && c <= 'Z')
        return UPPER;
    if (c >= '0' && c <= '9')
        return DIGIT;
    if (c == '\n' || c == '\r')
        return BREAK;
    return c == ' ' || c == '\t' ? SPACE : MARK;
}

static bool within(uint32_t c, uint32_t low, uint32_t high)
{
    return c >= low && c <= high;
}

static Sort sort_of(uint32_t c)
{
    if (c < 0x80)
        return sort_ascii(c);
    if (c < 0xC0 || c == 0xD7 || c == 0xF7 || within(c, 0x2000, 0x2BFF))
        return MARK;
    if (c < 0x250 || within(c, 0x1E00, 0x1EFF))
        return ACCENTED;
    if (within(c, 0x2E80, 0x9FFF) || within(c, 0xAC00, 0xD7FF) || within(c, 0xF900, 0xFAFF) ||
        within(c, 0xFF00, 0xFFEF) || within(c, 0x20000, 0x3FFFF))
        return CJK;
    return c >= 0x1F000 ? MARK : OTHER;
}

static bool is_latin(Sort s)
{
    return s == LOWER || s == UPPER || s == ACCENTED;
}

/* Does this character go on with the run of the one before it? */
static bool goes_on(const Scan *s, Sort now)
{
    if (s->length == 0)
        return false;
    if (is_latin(now))
        return is_latin(s->last) && !(s->last == LOWER && now == UPPER);
    return s->last == now;
}

static void add(Scan *s, TokenClass class, bool there)
{
    s->sum += there ? weights[class] : 0;
}

static void count_letter(Scan *s, Sort now)
{
    if (now == OTHER) {
        add(s, TOKEN_OTHER_WORDS, s->length == 1);
        add(s, TOKEN_OTHER, true);
        return;
    }
    add(s, TOKEN_WORDS, s->length == 1);
    add(s, TOKEN_LONG, s->length > WORD_SHORT);
    add(s, TOKEN_CAPS, now == UPPER && s->last == UPPER && s->length > 1);
    add(s, TOKEN_ACCENTS, now == ACCENTED);
}

static void count(Scan *s, Sort now)
{
    bool again = goes_on(s, now);
    s->length = again ? s->length + 1 : 1;
    if (is_latin(now) || now == OTHER)
        count_letter(s, now);
    else if (now == DIGIT)
        add(s, TOKEN_DIGITS, s->length % DIGITS_GROUP == 1);
    else if (now == MARK)
        add(s, again ? TOKEN_MORE_MARKS : TOKEN_MARKS, true);
    else if (now == BREAK)
        add(s, TOKEN_BREAKS, !again);
    else if (now == SPACE)
        add(s, TOKEN_INDENTS, s->length == 2);
    else
        add(s, TOKEN_CJK, true);
    s->last = now;
}

/* The next character; a byte that is no part of one stands for itself. */
static uint32_t next(Str text, size_t valid_to, size_t *at)
{
    unsigned char first = (unsigned char)text.p[*at];
    if (*at < valid_to && first < 0x80) { /* most of any text; the rest is a call */
        ++*at;
        return first;
    }
    if (*at < valid_to)
        return utf8_next(text, at);
    return 0x400u + (unsigned char)text.p[(*at)++];
}

static size_t total(const Scan *s)
{
    return (size_t)((s->sum + 999) / 1000);
}

/* No byte costs more than a digit alone, 1.327 tokens: a text of so few bytes fits. */
static bool is_short(Str text, size_t budget)
{
    return budget && text.n / 3 <= budget / 4 && text.n * 4 / 3 + 1 <= budget;
}

/* Count the small letters that go on with the word before them, all at once: most of most texts. */
static size_t count_letters(Scan *s, Str text, size_t at)
{
    size_t before = s->length;
    if (before == 0 || !is_latin(s->last))
        return at;
    size_t end = at;
    while (end < text.n && text.p[end] >= 'a' && text.p[end] <= 'z')
        end++;
    if (end == at)
        return at;
    s->length = before + (end - at);
    s->last = LOWER;
    if (s->length > WORD_SHORT)
        s->sum += weights[TOKEN_LONG] * (s->length - (before > WORD_SHORT ? before : WORD_SHORT));
    return end;
}

size_t tokens_estimate(Str text)
{
    Scan s = { 0 };
    size_t valid_to = utf8_bad_at(text);
    for (size_t at = 0; at < text.n; at = count_letters(&s, text, at))
        count(&s, sort_of(next(text, valid_to, &at)));
    size_t sum = total(&s);
    return sum || text.n == 0 ? sum : 1;
}

bool tokens_fit(Str text, size_t budget)
{
    return is_short(text, budget) || tokens_estimate(text) <= budget;
}

size_t tokens_cut(Str text, size_t budget)
{
    Scan s = { 0 };
    if (is_short(text, budget))
        return text.n;
    size_t valid_to = utf8_bad_at(text), line = 0, fits = 0;
    while (fits < text.n) {
        size_t at = fits;
        count(&s, sort_of(next(text, valid_to, &at)));
        if (budget == 0 || total(&s) > budget)
            return line ? line : fits;
        fits = at;
        if (text.p[fits - 1] == '\n')
            line = fits;
    }
    return text.n;
}
