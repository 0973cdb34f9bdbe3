/* two_agents.c - two agents, one pad: a conflict that merges, and a lease that keeps others out.
 *
 * Two pads on one URL are as good as two processes. */
#include <jotter.h>
#include <stdio.h>
#include <stdlib.h>

static jot_pad *open_as(const char *url, const char *name)
{
    jot_open_options options = { 0 };
    jot_pad *pad = jot_new();
    options.size = sizeof options;
    options.as = name;
    if (jot_open(pad, url, &options) == JOT_OK)
        return pad;
    fprintf(stderr, "%s\n", jot_error(pad));
    exit(1);
}

/* The call must end so, or the example is over. */
static void must(jot_status want, jot_status got, const jot_pad *pad)
{
    if (got == want)
        return;
    fprintf(stderr, "%s: %s\n", jot_status_name(got), jot_error(pad));
    exit(1);
}

/* Both read the same version, both change it: the second one is told, and merges. */
static void conflict(jot_pad *ann, jot_pad *bob)
{
    jot_write_options options = { 0 };
    const jot_doc *doc;
    const jot_merge *both;
    char read[16];
    jot_text hers = jot_str("monday: test\ntuesday:\nwednesday:\n");
    jot_text his = jot_str("monday:\ntuesday:\nwednesday: ship\n");

    must(JOT_OK, jot_doc_write(ann, "week", jot_str("monday:\ntuesday:\nwednesday:\n"), NULL, &doc),
         ann);
    snprintf(read, sizeof read, "%s", doc->version);
    options.size = sizeof options;
    options.if_version = read;

    must(JOT_OK, jot_doc_write(ann, "week", hers, &options, NULL), ann);
    must(JOT_CONFLICT, jot_doc_write(bob, "week", his, &options, &doc), bob);
    printf("bob was told: %s\n", jot_error(bob));

    must(JOT_OK, jot_doc_merge(bob, "week", read, his, &both), bob);
    if (!both->clean)
        exit(1);
    options.if_version = both->now->version;
    must(JOT_OK, jot_doc_write(bob, "week", both->text, &options, &doc), bob);
    printf("and wrote both changes:\n%s", doc->text.data);
}

/* A lease says who may write; its token refuses whoever comes too late. */
static void lease(jot_pad *ann, jot_pad *bob)
{
    jot_lease_options options = { 0 };
    const jot_lease *held;
    uint64_t token;
    options.size = sizeof options;
    options.live = true; /* free at once if ann's process dies */

    must(JOT_OK, jot_lease_acquire(ann, "week", &options, &held), ann);
    token = held->token;
    must(JOT_LEASED, jot_lease_acquire(bob, "week", NULL, &held), bob);
    printf("bob waits: '%s' is leased to %s\n", held->on, held->by);

    must(JOT_OK, jot_lease_adopt(bob, token), bob); /* as if bob had been ann all along ... */
    must(JOT_OK, jot_lease_release(ann, token), ann);
    must(JOT_FENCED, jot_doc_append(bob, "week", jot_str("late\n"), NULL, NULL), bob);
    printf("a write under a lease that is over: %s\n", jot_error(bob));
}

int main(int argc, char **argv)
{
    const char *url = argc > 1 ? argv[1] : NULL;
    jot_pad *ann = open_as(url, "ann"), *bob = open_as(url, "bob");
    conflict(ann, bob);
    lease(ann, bob);
    jot_free(ann);
    jot_free(bob);
    return 0;
}
