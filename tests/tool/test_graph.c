/* test_graph.c - the nine tools of the reference memory server. */
#include "tool/call.h"

#include "memory/tokens.h"

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
    DESK_TEST(an_entity_is_deleted_with_its_relations),
    DESK_TEST(a_relation_is_deleted),
    DESK_TEST(nodes_are_found_by_any_of_their_texts),
    DESK_TEST(a_large_graph_is_read_in_parts),
    DESK_TEST(wrong_members_are_refused),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
