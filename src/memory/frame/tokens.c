/* tokens.c - the estimate: one pass that sorts characters into classes, and a weight a class.
 *
 * A tokenizer first cuts a text into words, numbers, runs of punctuation and
 * space, and then spells each piece with as few known tokens as it can.  The
 * first half is simple enough to follow; what the second half does is, on
 * average, a weight.  The weights are thousandths of a token and were fitted to
 * o200k_base.  Every weight is positive and every counter only grows, so that a
 * longer beginning of a text never costs less than a shorter one: tokens_cut()
 * rests on that. */
#include "memory/frame/tokens.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vector16.h"

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

/* Does this character continue the run of the one before it? */
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

/* --- Sixty-four at a time ---------------------------------------------------------------- */

/* Most text is ASCII, and there the kinds of 64 characters are five masks, bit i for character i;
 * what is in none of them is punctuation.  A run is then what a shift shows, and the counters are
 * numbers of bits.  Nothing depends on what the characters are, so there is no branch to guess. */
enum { BLOCK = 64 };

typedef struct Masks {
    uint64_t lower, upper, digit, line, space;
} Masks;

static Masks masks_of(const char *text)
{
    Masks m = { 0 };
    for (unsigned i = 0; i < BLOCK; i += sizeof(Vector16)) {
        Vector16 x = vector16_at(text + i);
        m.lower |= vector16_bits((Vector16)((x >= 'a') & (x <= 'z'))) << i;
        m.upper |= vector16_bits((Vector16)((x >= 'A') & (x <= 'Z'))) << i;
        m.digit |= vector16_bits((Vector16)((x >= '0') & (x <= '9'))) << i;
        m.line |= vector16_bits((Vector16)((x == '\n') | (x == '\r'))) << i;
        m.space |= vector16_bits((Vector16)((x == ' ') | (x == '\t'))) << i;
    }
    return m;
}

static bool is_ascii(Str s)
{
    size_t at = 0;
    for (; s.n - at >= sizeof(Vector16); at += sizeof(Vector16))
        if (vector16_bits((Vector16)(vector16_at(s.p + at) >= 0x80)))
            return false;
    while (at < s.n && (unsigned char)s.p[at] < 0x80)
        at++;
    return at == s.n;
}

/* How many bits are set: of two, of four, of eight, of all.  The builtin is a call where the
 * processor need not have an instruction for it, which costs more than all the rest here. */
static uint64_t count_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return x * UINT64_C(0x0101010101010101) >> 56;
}

static void add_bits(Scan *s, TokenClass class, uint64_t bits)
{
    s->sum += weights[class] * count_bits(bits);
}

/* How many bits at the low end are set; 64 if all are. */
static size_t set_below(uint64_t bits)
{
    return ~bits ? (size_t)__builtin_ctzll(~bits) : BLOCK;
}

/* Letters beyond the seventh of their word.  `on` are those that continue a word. */
static void count_long(Scan *s, uint64_t on)
{
    size_t first = set_below(on), before = s->length, now = before + first;
    size_t from = before > WORD_SHORT ? before : WORD_SHORT;
    if (first && now > from)
        s->sum += weights[TOKEN_LONG] * (now - from);
    /* In a word that begins here, a letter with seven such in a row up to it. */
    on = first < BLOCK ? on & ~((UINT64_C(1) << first) - 1) : 0;
    uint64_t two = on & on << 1, four = two & two << 2;
    add_bits(s, TOKEN_LONG, four & two << 4 & on << 6);
}

/* Groups of digits: the first of a run and every third after it. */
static void count_digits(Scan *s, uint64_t digit, uint64_t on)
{
    size_t first = set_below(on), before = s->length;
    if (first)
        s->sum += weights[TOKEN_DIGITS] *
                  ((before + first + 2) / DIGITS_GROUP - (before + 2) / DIGITS_GROUP);
    uint64_t third = digit & digit << 1 & digit << 2;
    for (uint64_t group = digit & ~on; group; group = group << DIGITS_GROUP & third & on)
        add_bits(s, TOKEN_DIGITS, group);
}

/* The same as count() for each of 64 characters of ASCII, or of the last few of a text: those in
 * `all`. */
static void count_block(Scan *s, const char *text, uint64_t all)
{
    Masks m = masks_of(text);
    bool any = s->length > 0;
    uint64_t latin = m.lower | m.upper, mark = ~(latin | m.digit | m.line | m.space) & all;
    uint64_t after_latin = latin << 1 | (any && is_latin(s->last));
    uint64_t after_lower = m.lower << 1 | (any && s->last == LOWER);
    uint64_t after_upper = m.upper << 1 | (any && s->last == UPPER);
    uint64_t after_space = m.space << 1 | (any && s->last == SPACE);
    uint64_t word_on = latin & after_latin & ~(after_lower & m.upper);
    uint64_t digit_on = m.digit & (m.digit << 1 | (any && s->last == DIGIT));
    uint64_t mark_on = mark & (mark << 1 | (any && s->last == MARK));
    uint64_t line_on = m.line & (m.line << 1 | (any && s->last == BREAK));
    uint64_t space_on = m.space & after_space;
    uint64_t third_space = space_on & (after_space << 1 | (s->last == SPACE && s->length > 1));
    add_bits(s, TOKEN_WORDS, latin & ~word_on);
    add_bits(s, TOKEN_CAPS, m.upper & after_upper);
    count_long(s, word_on);
    count_digits(s, m.digit, digit_on);
    add_bits(s, TOKEN_MARKS, mark & ~mark_on);
    add_bits(s, TOKEN_MORE_MARKS, mark_on);
    add_bits(s, TOKEN_BREAKS, m.line & ~line_on);
    add_bits(s, TOKEN_INDENTS, space_on & ~third_space);
    uint64_t on = word_on | digit_on | mark_on | line_on | space_on;
    s->length = ~on ? (size_t)__builtin_clzll(~on) + 1 : s->length + BLOCK;
    s->last = sort_ascii((unsigned char)text[BLOCK - 1]);
}

/* What is left of a text, less than a block: NULs after it count as nothing. */
static void count_rest(Scan *s, Str rest)
{
    char block[BLOCK] = { 0 };
    assert(rest.n < BLOCK);
    memcpy(block, rest.p, rest.n);
    count_block(s, block, (UINT64_C(1) << rest.n) - 1);
}

size_t tokens_estimate(Str text)
{
    Scan s = { 0 };
    size_t valid_to = utf8_bad_at(text);
    for (size_t at = 0; at < text.n;) {
        Str rest = str_slice(text, at, at + BLOCK);
        size_t end = at + rest.n;
        if (end > valid_to || !is_ascii(rest)) {
            while (at < end)
                count(&s, sort_of(next(text, valid_to, &at)));
            continue;
        }
        if (rest.n == BLOCK)
            count_block(&s, rest.p, UINT64_MAX);
        else
            count_rest(&s, rest);
        at = end;
    }
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
