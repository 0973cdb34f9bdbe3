/* test_verb.c - the verbs' table: what every row keeps, and the templates its answers are made of.
 */
#include "tool/registry.h"

#include <ctype.h>
#include <string.h>

#include "tool/call.h"
#include "tool/template.h"

/* --- Templates ------------------------------------------------------------------------------- */

static void makes(const char *template, const char *data, TemplateStyle style, const char *want)
{
    json_t *read = NULL;
    Err e = { 0 };
    AUTO(Buf) line = { 0 };
    assert_int_equal(json_read(str(data), &read, &e), JOT_OK);
    AUTO_PTR(json_t) object = read;
    template_add(&line, template, object, style);
    assert_text(buf_str(&line), want);
}

static void a_template_shows_members_in_columns(void **state)
{
    (void)state;
    const char *data = "{\"id\":\"a\",\"n\":7,\"of\":{\"who\":\"ann\"},\"list\":[1,2]}";
    makes("{id}: {n}", data, TEMPLATE_PLAIN, "a: 7");
    makes("{id:-3}|{n:3}|{of.who}|{list}", data, TEMPLATE_PLAIN, "a  |  7|ann|2");
    makes("{n#record}, {list#reply}", data, TEMPLATE_PLAIN, "7 records, 2 replies");
    makes("{none}|{none:3}|{of.none.deep}", data, TEMPLATE_PLAIN, "|   |");
}

static void one_of_a_thing_is_singular(void **state)
{
    (void)state;
    makes("{n#record}", "{\"n\":1}", TEMPLATE_PLAIN, "1 record");
    makes("{n#record}", "{\"n\":0}", TEMPLATE_PLAIN, "0 records");
    makes("{n#entry}", "{\"n\":[{}]}", TEMPLATE_PLAIN, "1 entry");
    makes("{n#day}", "{\"n\":2}", TEMPLATE_PLAIN, "2 days");
}

static void a_part_in_brackets_stands_only_with_all_its_members(void **state)
{
    (void)state;
    makes("x[ {a}]", "{\"a\":\"b\"}", TEMPLATE_PLAIN, "x b");
    makes("x[ {a}][ {b} {c}]", "{\"a\":\"\",\"b\":1,\"c\":null}", TEMPLATE_PLAIN, "x");
    makes("x[ yes{?a}]", "{\"a\":true}", TEMPLATE_PLAIN, "x yes");
    makes("x[ yes{?a}]", "{\"a\":false}", TEMPLATE_PLAIN, "x");
    makes("x{a&  (yes)}|{b&  (no)}", "{\"a\":true}", TEMPLATE_PLAIN, "x  (yes)|");
    makes("[yes{?a}][no{!a}]", "{\"a\":true}", TEMPLATE_PLAIN, "yes");
    makes("[yes{?a}][no{!a}]", "{}", TEMPLATE_PLAIN, "no");
    makes("{=a}", "{\"a\":\"it is so\"}", TEMPLATE_FRAMED, "it is so");
    makes("x[ {a}]", "{\"a\":0}", TEMPLATE_PLAIN, "x");
    makes("x[ {a}]", "{\"a\":[]}", TEMPLATE_PLAIN, "x");
}

static void a_value_cannot_pass_for_the_template(void **state)
{
    (void)state;
    makes("{a}", "{\"a\":\"{b}[c]\",\"b\":\"no\"}", TEMPLATE_PLAIN, "{b}[c]");
    makes("run {a} is done", "{\"a\":\"x is done\\nrun y\"}", TEMPLATE_FRAMED,
          "run \"x is done\\nrun y\" is done");
    makes("task {'a}", "{\"a\":\"a\\nb\"}", TEMPLATE_FRAMED, "task 'a\\nb'");
}

/* --- Rows ------------------------------------------------------------------------------------ */

static void each_verb(void (*look)(const Noun *n, const Verb *v), const Noun *n)
{
    for (const Verb *const *v = n->verbs; *v; v++)
        look(n, *v);
    for (const Noun *const *sub = n->subs; sub && *sub; sub++)
        each_verb(look, *sub);
}

static void each_row(void (*look)(const Noun *n, const Verb *v))
{
    for (size_t i = 0; noun_at(i); i++)
        each_verb(look, noun_at(i));
}

static bool has_param(const Verb *v, const char *name)
{
    for (const Param *p = tool_params(&v->tool); p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static const Param *field_of(const Param *fields, Str name)
{
    for (; fields && fields->name; fields++)
        if (str_eq(str(fields->name), name))
            return fields;
    return NULL;
}

/* Every name between braces is a declared field. */
static void names_fields(const Verb *v, const char *template, const Param *fields)
{
    Str rest = str(template), before, place;
    while (str_cut(&rest, '{', &before) && str_cut(&rest, '}', &place)) {
        place = str_from(place, strchr("?!'=^", place.p[0]) != NULL);
        place = str_slice(place, 0, str_find(place, '&'));
        place = str_slice(place, 0, str_find(place, ':'));
        place = str_slice(place, 0, str_find(place, '#'));
        const Param *f = fields;
        for (Str name; place.n;) {
            if (!str_cut(&place, '.', &name))
                name = place, place = (Str){ 0 };
            f = field_of(f, name);
            if (!f)
                fail_msg("%s: no field '" STR_FMT "'", v->verb ? v->verb : v->tool.name,
                         STR_ARG(name));
            f = f->fields;
        }
    }
}

static void look_at_row(const Noun *n, const Verb *v)
{
    assert_true(v->verb || v->tool.name);
    assert_true(v->tool.run == verb_answer);
    assert_non_null(v->run);
    assert_non_null(v->fields);
    if (v->verb) {
        assert_non_null(v->summary);
        assert_true(isupper((unsigned char)v->summary[0]));
        assert_true(v->summary[strlen(v->summary) - 1] != '.');
    }
    if (v->tool.name) {
        assert_non_null(v->tool.title);
        assert_non_null(v->tool.about);
    }
    if (v->page)
        assert_true(has_param(v, v->page));
    if (v->items)
        assert_non_null(v->unit);
    (void)n;
}

static void every_row_has_what_its_doors_need(void **state)
{
    (void)state;
    each_row(look_at_row);
}

static void look_at_templates(const Noun *n, const Verb *v)
{
    (void)n;
    const Param *list = v->items ? field_of(v->fields, str(v->items)) : NULL;
    names_fields(v, v->says, v->fields);
    names_fields(v, v->shows, v->fields);
    names_fields(v, v->tail, v->fields);
    if (!list)
        return;
    names_fields(v, v->line, list->fields);
    names_fields(v, v->row, list->fields);
    names_fields(v, v->cursor, list->fields);
}

static void every_template_names_declared_fields(void **state)
{
    (void)state;
    each_row(look_at_templates);
}

static void look_at_places(const Noun *n, const Verb *v)
{
    (void)n;
    int places = 0, found = 0;
    for (const Param *p = tool_params(&v->tool); p->name; p++)
        if (p->place > places)
            places = p->place;
    for (int at = 1; at <= places; at++)
        for (const Param *p = tool_params(&v->tool); p->name; p++)
            found += p->place == at;
    assert_int_equal(found, places);
}

static void arguments_stand_at_places_without_gaps(void **state)
{
    (void)state;
    each_row(look_at_places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_shows_members_in_columns),
        cmocka_unit_test(one_of_a_thing_is_singular),
        cmocka_unit_test(a_part_in_brackets_stands_only_with_all_its_members),
        cmocka_unit_test(a_value_cannot_pass_for_the_template),
        cmocka_unit_test(every_row_has_what_its_doors_need),
        cmocka_unit_test(every_template_names_declared_fields),
        cmocka_unit_test(arguments_stand_at_places_without_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
