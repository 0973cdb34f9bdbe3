/* topics.c - what is about more than one command: 'jotter help TOPIC'. */
#include <string.h>

#include "cli/cmd.h"

static const struct {
    const char *name, *text;
} topics[] = {
    { "pads",
      "A pad is where memories are kept.  Which one is used:\n\n"
      "  1. --pad URL, else $JOTTER_PAD: a pad that is named must exist, unless you write\n"
      "  2. the nearest .jotter/ from here upward, as git looks for .git\n"
      "  3. your own, $XDG_DATA_HOME/jotter/pad or ~/.local/share/jotter/pad\n\n"
      "'jotter where' shows which and why, 'jotter init' makes a .jotter/ here.\n"
      "A pad is named by a path (.jotter, notes/, week.db) or a URL:\n\n"
      "  files:DIR              the default: every note is a file to read and edit\n"
      "  sqlite:FILE            one file\n"
      "  postgres://HOST/DB     shared between machines\n"
      "  redis://HOST           shared between machines\n"
      "  s3://BUCKET/PREFIX     shared between machines, in a bucket\n\n"
      "'jotter copy URL' takes a pad to another engine with all its history.  A .jotter/ that is\n"
      "not yours is not used until you allow it: jotter help safe.\n" },
    { "versions",
      "Every write is a version, and so is your edit of a note's file.  Nothing is overwritten.\n"
      "A version can be named by\n\n"
      "  0cb6db6                7 to 64 digits of its hash, as history and read show it\n"
      "  4                      its seq: the number of the record\n"
      "  ~1                     that many versions before the present one\n"
      "  yesterday, 2h, ...     a moment: as the note was then (jotter help times)\n\n"
      "  jotter history KEY                   all of them, newest first\n"
      "  jotter diff KEY [VERSION [VERSION]]  what changed\n"
      "  jotter read KEY --version VERSION    an older text\n"
      "  jotter undo KEY; jotter redo KEY     back, and forward again\n"
      "  jotter restore KEY VERSION           an older text becomes the newest\n\n"
      "When two write the same note, --if-version V writes only if V is still the newest version;\n"
      "else you get a conflict (exit 75) with both texts, and a merge if there is one.\n" },
    { "times",
      "Options that take a time (--since, --until, --at ...) understand\n\n"
      "  now, today, yesterday  the start of that day; as the end of a range, its end\n"
      "  monday, mon            the last one, never today\n"
      "  90s 30m 12h 7d 2w      that long ago\n"
      "  2026-01-31             a day, in the time zone of this machine\n"
      "  2026-01-31T18:45:00Z   a moment (RFC 3339, with any zone)\n\n"
      "On a terminal times are shown as \"3 min ago\"; in pipes, with --utc and with --json they\n"
      "are exact, in UTC.\n" },
    { "leases",
      "A lease says that somebody is working on a note, a task or a prefix of names.\n"
      "It expires by itself, so a killed program blocks nobody for long; and its token grows\n"
      "each time, so a holder that comes back too late cannot write any more (exit 76, fenced).\n\n"
      "  jotter lease run NAME -- PROGRAM     while this program runs\n"
      "  jotter lease acquire NAME --ttl 60   prints the token\n"
      "  jotter write KEY --lease TOKEN       only while the lease is held; or $JOTTER_LEASE\n"
      "  jotter lease renew, release, list\n" },
    { "budgets",
      "A model reads tokens, and has room for only so many.  What it is shown is made to fit:\n\n"
      "  jotter context --budget 8000         rules, open work, an index, the newest notes\n"
      "  jotter search WORDS --budget 2000    the passages that answer, with where they are from\n"
      "  jotter read KEY --tokens 500         the beginning of a long note\n\n"
      "Where something was left out, the last line says what, and the command that shows it.  An\n"
      "agent's run (jotter run) keeps to the window of its model: results become pointers, turns\n"
      "a summary, and both are recorded.\n" },
};

const char *topic_text(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(topics); i++)
        if (strcmp(topics[i].name, name) == 0)
            return topics[i].text;
    return NULL;
}

const char *topic_at(size_t i)
{
    return i < COUNT_OF(topics) ? topics[i].name : NULL;
}
