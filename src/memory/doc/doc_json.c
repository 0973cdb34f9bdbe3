/* doc_json.c - documents as JSON, and the few members of a meta that documents themselves use. */
#include "base/time.h"
#include "base/utf8.h"
#include "memory/doc/doc.h"

static void set(json_t *to, const char *name, json_t *value)
{
    json_object_set_new(to, name, value);
}

static json_t *meta_object(Str meta)
{
    json_t *value = NULL;
    if (meta.n && json_read(meta, &value, NULL) == JOT_OK && json_is_object(value))
        return value;
    json_decref(value);
    return json_object();
}

json_t *mark_json(Str stream, const Mark *mark, Str by, Str meta)
{
    json_t *o = json_object();
    Str word = doc_word(stream);
    bool live = mark_live(mark);
    if (word.n < stream.n)
        set(o, "key", json_text(word));
    set(o, "stream", json_text(stream));
    if (live) {
        set(o, "version", json_string(version_of(mark->sha256).text));
        set(o, "sha256", json_string(hash_hex(mark->sha256).text));
    } else {
        set(o, "deleted", json_true());
    }
    if (mark->redacted)
        set(o, "redacted", json_true());
    if (mark->op && mark->seq == 0)
        set(o, "edited", json_true());
    set(o, "seq", json_integer((json_int_t)mark->seq));
    set(o, "at", json_string(time_text(mark->at_ms).text));
    set(o, "by", json_text(by));
    set(o, "bytes", json_integer((json_int_t)mark->size));
    set(o, "meta", meta_object(meta));
    return o;
}

json_t *doc_json(Str stream, const Doc *d, bool with_text)
{
    json_t *o = mark_json(stream, &d->mark, d->by, d->meta);
    bool valid = utf8_valid(d->text);
    set(o, "chars", json_integer((json_int_t)(valid ? utf8_count(d->text) : d->text.n)));
    if (with_text)
        set(o, "text", json_text(d->text));
    return o;
}

static Str write_meta(const json_t *object, Arena *into)
{
    AUTO(Buf) text = { 0 };
    if (json_object_size(object))
        json_write(&text, object);
    return arena_copy(into, buf_str(&text));
}

static json_t *kept(Str meta)
{
    json_t *object = meta_object(meta);
    json_object_del(object, "undo");
    json_object_del(object, "restored");
    json_object_del(object, "shows");
    return object;
}

Str meta_kept(Str meta, Arena *into)
{
    AUTO_PTR(json_t) object = kept(meta);
    return write_meta(object, into);
}

Str meta_with(Str meta, const char *name, json_t *value, Arena *into)
{
    AUTO_PTR(json_t) object = kept(meta);
    set(object, name, value);
    return write_meta(object, into);
}

uint64_t meta_number(Str meta, const char *name)
{
    AUTO_PTR(json_t) object = meta_object(meta);
    json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}

Str meta_text(Str meta, const char *name, Arena *into)
{
    AUTO_PTR(json_t) object = meta_object(meta);
    return arena_copy(into, json_member(object, name));
}
