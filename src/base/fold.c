/* fold.c - characters, by utf8proc's tables.
 *
 * ASCII is answered without them: it is most of what is ever looked at. */
#include "base/fold.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

typedef struct Range {
    uint32_t from, to;
} Range;

/* Scripts that are written without spaces between words.  Korean has them, but joins particles to
 * its words, so it is looked for in the same way. */
static const Range dense[] = {
    { 0x0E00, 0x0EFF },   /* Thai, Lao */
    { 0x1000, 0x109F },   /* Myanmar */
    { 0x1100, 0x11FF },   /* Hangul, in parts */
    { 0x1780, 0x17FF },   /* Khmer */
    { 0x2E80, 0x2FDF },   /* radicals */
    { 0x3005, 0x3007 },   /* iteration mark, closing mark, zero */
    { 0x3031, 0x3035 },   /* repeat marks */
    { 0x3041, 0x30FF },   /* kana */
    { 0x3105, 0x318E },   /* bopomofo, Hangul for compatibility */
    { 0x31A0, 0x31FF },   /* bopomofo, small kana */
    { 0x3400, 0x4DBF },   /* ideographs */
    { 0x4E00, 0x9FFF },   /* ideographs */
    { 0xA960, 0xA97F },   /* Hangul, in parts */
    { 0xAC00, 0xD7FF },   /* Hangul */
    { 0xF900, 0xFAFF },   /* ideographs for compatibility */
    { 0xFF66, 0xFFDC },   /* kana and Hangul of half width */
    { 0x20000, 0x3FFFF }, /* ideographs */
};

static bool is_dense(uint32_t c)
{
    if (c < dense[0].from)
        return false;
    for (size_t i = 0; i < COUNT_OF(dense) && c >= dense[i].from; i++)
        if (c <= dense[i].to)
            return true;
    return false;
}

FoldKind fold_kind(uint32_t c)
{
    if (c < 0x80) {
        if (c >= 'a' && c <= 'z')
            return FOLD_LOWER;
        if (c >= 'A' && c <= 'Z')
            return FOLD_UPPER;
        return c >= '0' && c <= '9' ? FOLD_DIGIT : FOLD_NONE;
    }
    /* Digits and symbols of a dense script are none of its letters. */
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    static const FoldKind kinds[] = {
        [UTF8PROC_CATEGORY_LU] = FOLD_UPPER, [UTF8PROC_CATEGORY_LT] = FOLD_UPPER,
        [UTF8PROC_CATEGORY_LL] = FOLD_LOWER, [UTF8PROC_CATEGORY_LM] = FOLD_LOWER,
        [UTF8PROC_CATEGORY_LO] = FOLD_LOWER, [UTF8PROC_CATEGORY_MN] = FOLD_MARK,
        [UTF8PROC_CATEGORY_MC] = FOLD_MARK,  [UTF8PROC_CATEGORY_ME] = FOLD_MARK,
        [UTF8PROC_CATEGORY_ND] = FOLD_DIGIT, [UTF8PROC_CATEGORY_NL] = FOLD_DIGIT,
        [UTF8PROC_CATEGORY_NO] = FOLD_DIGIT, [UTF8PROC_CATEGORY_CO] = FOLD_NONE,
    };
    FoldKind kind = (size_t)category < COUNT_OF(kinds) ? kinds[category] : FOLD_NONE;
    /* A soft hyphen or a joiner inside a word is invisible and must not cut it. */
    if (kind == FOLD_NONE && utf8proc_get_property((utf8proc_int32_t)c)->ignorable)
        return FOLD_MARK;
    return kind != FOLD_NONE && kind != FOLD_DIGIT && is_dense(c) ? FOLD_DENSE : kind;
}

/* U+0300 to U+036F are the accents that Latin, Greek and Cyrillic share. */
static bool is_accent(utf8proc_int32_t c)
{
    return c >= 0x0300 && c <= 0x036F;
}

size_t fold_char(uint32_t c, uint32_t out[FOLD_MAX])
{
    if (c < 0x80) {
        out[0] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        return 1;
    }
    bool hangul = c >= 0xAC00 && c <= 0xD7A3, kana = c >= 0x3041 && c <= 0x30FF;
    if (hangul || (kana && c != 0x309F && c != 0x30FF)) { /* whole already; two are ligatures */
        out[0] = c;
        return 1;
    }
    utf8proc_int32_t parts[FOLD_MAX];
    int boundary = 0;
    utf8proc_ssize_t n = utf8proc_decompose_char(
        (utf8proc_int32_t)c, parts, FOLD_MAX,
        UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE, &boundary);
    if (n < 0 || n > FOLD_MAX) { /* no letter is that long */
        out[0] = c;
        return 1;
    }
    size_t kept = 0;
    for (utf8proc_ssize_t i = 0; i < n; i++)
        if (!is_accent(parts[i]))
            out[kept++] = (uint32_t)parts[i];
    return kept;
}

uint32_t fold_join(uint32_t base, uint32_t next)
{
    utf8proc_int32_t both[2] = { (utf8proc_int32_t)base, (utf8proc_int32_t)next };
    utf8proc_ssize_t n = utf8proc_normalize_utf32(both, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    return n == 1 ? (uint32_t)both[0] : 0;
}

bool fold_is_word(uint32_t c)
{
    if (c < 0x80)
        return fold_kind(c) != FOLD_NONE;
    const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)c);
    return !p->ignorable && p->category >= UTF8PROC_CATEGORY_LU &&
           p->category <= UTF8PROC_CATEGORY_NO;
}

void fold_add_nfc(Buf *to, Str text)
{
    bool ascii = true;
    for (size_t i = 0; ascii && i < text.n; i++)
        ascii = (unsigned char)text.p[i] < 0x80;
    if (ascii) {
        buf_add(to, text);
        return;
    }
    utf8proc_uint8_t *made = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text.p, (utf8proc_ssize_t)text.n,
                                      &made, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (n == UTF8PROC_ERROR_NOMEM)
        mem_exhausted();
    buf_add(to, n < 0 ? text : (Str){ (const char *)made, (size_t)n });
    free(made);
}

size_t fold_cases(uint32_t c, uint32_t out[FOLD_CASES])
{
    utf8proc_int32_t upper = utf8proc_toupper((utf8proc_int32_t)c);
    const uint32_t all[FOLD_CASES] = { c, (uint32_t)upper, (uint32_t)utf8proc_tolower(upper),
                                       (uint32_t)utf8proc_totitle((utf8proc_int32_t)c) };
    size_t n = 0;
    for (size_t i = 0; i < FOLD_CASES; i++) {
        size_t at = 0;
        while (at < n && out[at] < all[i])
            at++;
        if (at < n && out[at] == all[i])
            continue;
        memmove(out + at + 1, out + at, (n - at) * sizeof *out);
        out[at] = all[i];
        n++;
    }
    return n;
}

void fold_add_lower(Buf *to, Str text)
{
    enum { FINAL_SIGMA = 0x03C2, SIGMA = 0x03C3, DOTTED_I = 0x0130, DOT_ABOVE = 0x0307 };
    for (size_t at = 0; at < text.n;) {
        uint32_t c = utf8_next(text, &at);
        uint32_t lower = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
        utf8_add(to, lower == FINAL_SIGMA ? SIGMA : lower);
        if (c == DOTTED_I) /* the one letter that becomes two */
            utf8_add(to, DOT_ABOVE);
    }
}
