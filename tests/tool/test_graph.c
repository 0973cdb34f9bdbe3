/* test_graph.c - the nine tools of the reference memory server. */
#include "tool/call.h"

#include "memory/frame/tokens.h"

#define ANN "{\"name\":\"Ann\",\"entityType\":\"person\",\"observations\":[\"likes tea\"]}"
#define BOB "{\"name\":\"Bob\",\"entityType\":\"person\",\"observations\":[]}"
#define KNOWS "{\"from\":\"Ann\",\"to\":\"Bob\",\"relationType\":\"knows\"}"

/* The structured data is this, and the text says the same. */
static void gives(Desk *d, const char *tool, const char *args, const char *data)
{
    AUTO(ToolReply) r = call(d, tool, args);
    AUTO(Buf) got = { 0 };
    assert_false(r.is_error);
    json_write(&got, r.data);
    assert_text(buf_str(&got), data);
    json_t *read = NULL;
    desk_ok(d, json_read(r.text, &read, &d->e));
    AUTO_PTR(json_t) text = read;
    json_t *first = json_object_iter_value(json_object_iter(r.data));
    assert_true(json_equal(text, json_is_array(text) ? first : r.data));
}

static void make(Desk *d)
{
    gives(d, "create_entities", "{\"entities\":[" ANN "," BOB "]}",
          "{\"entities\":[" ANN "," BOB "]}");
    gives(d, "create_relations", "{\"relations\":[" KNOWS "]}", "{\"relations\":[" KNOWS "]}");
}

static void a_graph_is_made_and_read(Desk *d)
{
    make(d);
    gives(d, "read_graph", "{}", "{\"entities\":[" ANN "," BOB "],\"relations\":[" KNOWS "]}");
}

static void what_is_there_is_not_made_again(Desk *d)
{
    make(d);
    gives(d, "create_entities", "{\"entities\":[" ANN "]}", "{\"entities\":[]}");
    gives(d, "create_relations", "{\"relations\":[" KNOWS "]}", "{\"relations\":[]}");
}

static void observations_are_added_once_and_deleted(Desk *d)
{
    make(d);
    gives(d, "add_observations",
          "{\"observations\":[{\"entityName\":\"Ann\",\"contents\":[\"likes tea\",\"sings\"]}]}",
          "{\"results\":[{\"entityName\":\"Ann\",\"addedObservations\":[\"sings\"]}]}");
    refuses(d, "add_observations",
            "{\"observations\":[{\"entityName\":\"Eve\",\"contents\":[\"x\"]}]}",
            "Entity with name Eve not found");
    says(d, "delete_observations",
         "{\"deletions\":[{\"entityName\":\"Ann\",\"observations\":[\"likes tea\",\"x\"]},"
         "{\"entityName\":\"Eve\",\"observations\":[\"x\"]}]}",
         "Observations deleted successfully");
    gives(d, "open_nodes", "{\"names\":[\"Ann\"]}",
          "{\"entities\":[{\"name\":\"Ann\",\"entityType\":\"person\","
          "\"observations\":[\"sings\"]}],\"relations\":[" KNOWS "]}");
}

static void one_unknown_entity_leaves_all_others_as_they_are(Desk *d)
{
    make(d);
    refuses(d, "add_observations",
            "{\"observations\":[{\"entityName\":\"Ann\",\"contents\":[\"half\"]},"
            "{\"entityName\":\"\u65e5\u672c \\\"x\\\"\",\"contents\":[\"x\"]}]}",
            "Entity with name \u65e5\u672c \"x\" not found");
    gives(d, "open_nodes", "{\"names\":[\"Ann\"]}",
          "{\"entities\":[" ANN "],\"relations\":[" KNOWS "]}");
}

static void a_long_name_is_told_whole(Desk *d)
{
    AUTO(Buf) name = { 0 };
    for (int i = 0; i < 100; i++)
        buf_add(&name, S("\u00e4\u00f6\u00fc"));
    buf_add_char(&name, 0);
    Str args =
        arena_printf(&d->a, "{\"observations\":[{\"entityName\":\"%s\",\"contents\":[]}]}", name.p);
    Str want = arena_printf(&d->a, "Entity with name %s not found", name.p);
    refuses(d, "add_observations", args.p, want.p);
}

static void what_is_said_twice_at_once_is_added_twice_and_deleted_at_once(Desk *d)
{
    make(d);
    gives(d, "add_observations",
          "{\"observations\":[{\"entityName\":\"Ann\",\"contents\":[\"x\",\"likes tea\",\"x\"]}]}",
          "{\"results\":[{\"entityName\":\"Ann\",\"addedObservations\":[\"x\",\"x\"]}]}");
    says(d, "delete_observations",
         "{\"deletions\":[{\"entityName\":\"Ann\",\"observations\":[\"x\"]}]}",
         "Observations deleted successfully");
    gives(d, "open_nodes", "{\"names\":[\"Ann\"]}",
          "{\"entities\":[" ANN "],\"relations\":[" KNOWS "]}");
}

static void an_entity_is_deleted_with_its_relations(Desk *d)
{
    make(d);
    says(d, "delete_entities", "{\"entityNames\":[\"Bob\",\"Eve\"]}",
         "Entities deleted successfully");
    gives(d, "read_graph", "{}", "{\"entities\":[" ANN "],\"relations\":[]}");
    gives(d, "create_entities", "{\"entities\":[" BOB "]}", "{\"entities\":[" BOB "]}");
}

static void a_relation_is_deleted(Desk *d)
{
    make(d);
    says(d, "delete_relations", "{\"relations\":[" KNOWS "]}", "Relations deleted successfully");
    gives(d, "read_graph", "{}", "{\"entities\":[" ANN "," BOB "],\"relations\":[]}");
}

static void nodes_are_found_by_any_of_their_texts(Desk *d)
{
    make(d);
    gives(d, "search_nodes", "{\"query\":\"TEA\"}",
          "{\"entities\":[" ANN "],\"relations\":[" KNOWS "]}");
    gives(d, "search_nodes", "{\"query\":\"nothing\"}", "{\"entities\":[],\"relations\":[]}");
    gives(d, "search_nodes", "{\"query\":\"\"}",
          "{\"entities\":[" ANN "," BOB "],\"relations\":[" KNOWS "]}");
    gives(d, "create_entities",
          "{\"entities\":[{\"name\":\"x\",\"entityType\":\"\",\"observations\":[\"\"]}]}",
          "{\"entities\":[{\"name\":\"x\",\"entityType\":\"\",\"observations\":[\"\"]}]}");
    gives(d, "search_nodes", "{\"query\":\"nothing\"}", "{\"entities\":[],\"relations\":[]}");
}

static void a_search_folds_case_in_every_script(Desk *d)
{
    static const char *const found[][2] = {
        { "\u00dcBER", "\u00fcber" },
        { "\u00fcber", "\u00dcBER" },
        { "\u042e\u043b\u044f", "\u044e\u041b\u042f" },
        { "\u0391\u0398\u0397\u039d\u0391", "\u03b8\u03b7\u03bd\u03b1" },
        { "\u01c5", "\u01c6" },
        { "\U00010400", "\U00010428" },
        { "\u1c90", "\u10d0" },
        { "\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2" },
    };
    for (size_t i = 0; i < COUNT_OF(found); i++) {
        Str entity =
            arena_printf(&d->a, "{\"name\":\"%s %zu\",\"entityType\":\"t\",\"observations\":[]}",
                         found[i][0], i);
        Str args = arena_printf(&d->a, "{\"entities\":[%s]}", entity.p);
        gives(d, "create_entities", args.p, args.p);
        Str query = arena_printf(&d->a, "{\"query\":\"%s %zu\"}", found[i][1], i);
        Str want = arena_printf(&d->a, "{\"entities\":[%s],\"relations\":[]}", entity.p);
        gives(d, "search_nodes", query.p, want.p);
    }
    /* An accent tells two letters apart, as in the reference server. */
    gives(d, "search_nodes", "{\"query\":\"uber\"}", "{\"entities\":[],\"relations\":[]}");
}

static void a_graph_is_shown_in_the_order_it_was_made_in(Desk *d)
{
    static const char *const names[] = { "m", "z", "a", "k", "b" };
    AUTO(Buf) entities = { 0 };
    AUTO(Buf) relations = { 0 };
    for (size_t i = 0; i < COUNT_OF(names); i++) { /* all in the same millisecond */
        Str entity = arena_printf(
            &d->a, "{\"name\":\"%s\",\"entityType\":\"t\",\"observations\":[]}", names[i]);
        Str relation =
            arena_printf(&d->a, "{\"from\":\"x\",\"to\":\"%s\",\"relationType\":\"r\"}", names[i]);
        Str args = arena_printf(&d->a, "{\"entities\":[%s]}", entity.p);
        gives(d, "create_entities", args.p, args.p);
        args = arena_printf(&d->a, "{\"relations\":[%s]}", relation.p);
        gives(d, "create_relations", args.p, args.p);
        buf_addf(&entities, "%s%s", i ? "," : "", entity.p);
        buf_addf(&relations, "%s%s", i ? "," : "", relation.p);
    }
    Str want = arena_printf(&d->a, "{\"entities\":[%.*s],\"relations\":[%.*s]}",
                            STR_ARG(buf_str(&entities)), STR_ARG(buf_str(&relations)));
    gives(d, "read_graph", "{}", want.p);
}

static void what_is_made_after_many_at_once_comes_behind_them(Desk *d)
{
    AUTO(Buf) many = { 0 };
    for (int i = 0; i < 50; i++)
        buf_addf(&many, "%s{\"name\":\"n%d\",\"entityType\":\"\",\"observations\":[]}",
                 i ? "," : "", i);
    Str args = arena_printf(&d->a, "{\"entities\":[%.*s]}", STR_ARG(buf_str(&many)));
    gives(d, "create_entities", args.p, args.p);
    d->now_ms += 10; /* less than one for each */
    Str last = S("{\"name\":\"last\",\"entityType\":\"\",\"observations\":[]}");
    Str one = arena_printf(&d->a, "{\"entities\":[%s]}", last.p);
    gives(d, "create_entities", one.p, one.p);
    Str want = arena_printf(&d->a, "{\"entities\":[%.*s,%s],\"relations\":[]}",
                            STR_ARG(buf_str(&many)), last.p);
    gives(d, "read_graph", "{}", want.p);
}

static void members_are_shown_in_one_order_whoever_gave_them(Desk *d)
{
    gives(d, "create_entities",
          "{\"entities\":[{\"observations\":[\"likes "
          "tea\"],\"entityType\":\"person\",\"name\":\"Ann\"}]}",
          "{\"entities\":[" ANN "]}");
    gives(d, "create_relations",
          "{\"relations\":[{\"relationType\":\"knows\",\"to\":\"Bob\",\"from\":\"Ann\"}]}",
          "{\"relations\":[" KNOWS "]}");
    gives(d, "read_graph", "{}", "{\"entities\":[" ANN "],\"relations\":[" KNOWS "]}");
}

static void a_large_graph_is_read_in_parts(Desk *d)
{
    for (int i = 0; i < 40; i++) {
        d->now_ms++;
        Str args = arena_printf(&d->a,
                                "{\"entities\":[{\"name\":\"entity number %d\",\"entityType\":"
                                "\"thing\",\"observations\":[\"is one of forty\"]}]}",
                                i);
        AUTO(ToolReply) r = call(d, "create_entities", args.p);
        assert_false(r.is_error);
    }
    ToolHost h = { .m = &d->m, .budget = 500, .profiles = TOOLS_GRAPH };
    size_t seen = 0;
    for (bool more = true; more;) {
        Str args = arena_printf(&d->a, "{\"offset\":%zu}", seen);
        AUTO(ToolReply) r = call_on(d, &h, "read_graph", args.p);
        assert_true(tokens_estimate(r.text) <= 500);
        assert_true(json_array_size(json_object_get(r.data, "entities")) > 0);
        seen += json_array_size(json_object_get(r.data, "entities"));
        Str says_more = json_str(json_object_get(r.data, "more"));
        more = says_more.n > 0;
        if (more)
            assert_text(
                says_more,
                arena_printf(&d->a, "... there are more: continue with read_graph offset=%zu", seen)
                    .p);
    }
    assert_int_equal(seen, 40);
}

static void wrong_members_are_refused(Desk *d)
{
    refuses(d, "create_entities", "{\"entities\":[{\"name\":\"Ann\"}]}",
            "entities[0] needs 'entityType'");
    refuses(d, "create_entities",
            "{\"entities\":[{\"name\":\"\",\"entityType\":\"x\",\"observations\":[]}]}",
            "'name' cannot be empty");
    gives(d, "read_graph", "{}", "{\"entities\":[],\"relations\":[]}");
}

static const DeskTest tests[] = {
    DESK_TEST(a_graph_is_made_and_read),
    DESK_TEST(what_is_there_is_not_made_again),
    DESK_TEST(observations_are_added_once_and_deleted),
    DESK_TEST(one_unknown_entity_leaves_all_others_as_they_are),
    DESK_TEST(a_long_name_is_told_whole),
    DESK_TEST(what_is_said_twice_at_once_is_added_twice_and_deleted_at_once),
    DESK_TEST(an_entity_is_deleted_with_its_relations),
    DESK_TEST(a_relation_is_deleted),
    DESK_TEST(nodes_are_found_by_any_of_their_texts),
    DESK_TEST(a_search_folds_case_in_every_script),
    DESK_TEST(a_graph_is_shown_in_the_order_it_was_made_in),
    DESK_TEST(what_is_made_after_many_at_once_comes_behind_them),
    DESK_TEST(members_are_shown_in_one_order_whoever_gave_them),
    DESK_TEST(a_large_graph_is_read_in_parts),
    DESK_TEST(wrong_members_are_refused),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
