/* script.c - the scripts, in Lua.
 *
 * KEYS are the pad's facts, its names, the live ones, its changes, and for one
 * stream the rows (headers), the bodies, and its guard's rows.  All are named, so
 * that a cluster that is moving the pad notices before anything is done.
 * ARGV is the verb, the pad's id, the stream's name and the writer's number; then,
 * for what is conditional, the seq and chain of the head the client saw and the seq
 * its guard must have ('' for none); then what the verb takes.
 *
 * A script is not rolled back.  So each reads and compares first, and begins to
 * write only when nothing can refuse it any more.  Seqs are strings of 16 hex
 * digits here: Lua's numbers have 53 bits. */
#include "store/redis/script.h"

/* clang-format off */
#define TOP \
    "local call, sub = redis.call, string.sub\n" \
    "local verb, name, nonce = ARGV[1], ARGV[3], ARGV[4]\n" \
    "local pad, names, living, changes, rows, bodies, guard = unpack(KEYS)\n" \
    "if verb ~= 'make' and verb ~= 'facts' and call('HGET', pad, 'id') ~= ARGV[2] then return { -1 } end\n"

/* What is read most has a script of its own, with no key that it does not need: each key and argument
 * of a script, each function that it makes and each command that it calls costs as much as a whole command
 * outside of one.  KEYS are the pad's facts and what the verb names; ARGV is the verb, the pad's id, and
 * what the verb takes.
 *
 * A text of 2 KiB costs 3 us on its way through Lua, which is most of what a read costs, and nobody else is served
 * meanwhile.  So only a few bytes of bodies come along, and the client asks for more of them by a plain command. */
#define READING \
    "local call, verb = redis.call, ARGV[1]\n" \
    "if call('HGET', KEYS[1], 'id') ~= ARGV[2] then return { -1 } end\n" \
    /* head: rows, bodies; up to which size the body comes along */ \
    "if verb == 'head' then\n" \
    " local row = call('ZREVRANGE', KEYS[2], 0, 0)[1]\n" \
    " if not row then return { 0 } end\n" \
    " if tonumber(string.match(row, '^0 %x%x %d+ %d+ (%d+)', 102) or 0) > tonumber(ARGV[3]) then return { 0, row } end\n" \
    " return { 0, row, call('HGET', KEYS[3], string.sub(row, 1, 16)) or '' }\n" \
    "end\n" \
    /* read: rows, bodies; from which seq, how many, how many bytes, up to which sum of sizes the bodies come along */ \
    "if verb == 'read' then\n" \
    " local limit, room, more = tonumber(ARGV[4]), tonumber(ARGV[5]), 0\n" \
    " local found = call('ZRANGEBYLEX', KEYS[2], '[' .. ARGV[3], '+', 'LIMIT', 0, limit + 1)\n" \
    " local at, sum = {}, 0\n" \
    " for i, row in ipairs(found) do\n" \
    "  local size = string.match(row, '^0 %x%x %d+ %d+ (%d+)', 102)\n" /* 1: it is redacted */ \
    "  sum = sum + (tonumber(size) or 0)\n" \
    "  if i > limit or (i > 1 and sum > room) then more = 1; found[i] = nil; break end\n" \
    "  at[i] = string.sub(row, 1, 16)\n" \
    " end\n" \
    " if #at == 0 then return { 0, 0, call('EXISTS', KEYS[2]) } end\n" \
    " if sum > tonumber(ARGV[6]) then return { 0, more, 1, found } end\n" \
    " return { 0, more, 1, found, call('HMGET', KEYS[3], unpack(at)) }\n" \
    "end\n" \
    /* list: names; the range, how many, 1 for heads; rows are found by the prefix of their keys */ \
    "if verb == 'list' then\n" \
    " local found = call('ZRANGEBYLEX', KEYS[2], ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])\n" \
    " if ARGV[6] ~= '1' then return { 0, found } end\n" \
    " local heads = {}\n" \
    " for i, one in ipairs(found) do heads[i] = call('ZREVRANGE', ARGV[7] .. one, 0, 0)[1] or '' end\n" \
    " return { 0, found, heads }\n" \
    "end\n" \
    "return redis.error_reply('ERR no such verb')\n"

#define SHARED \
    "local zero = '0000000000000000'\n" \
    "local function head(key) return call('ZREVRANGE', key, 0, 0)[1] end\n" \
    "local function seq(row) return row and sub(row, 1, 16) or zero end\n" \
    "local function lives(row) return row and sub(row, 100, 100) ~= '2' end\n" \
    "local function now()\n" \
    " local t = call('TIME')\n" \
    " return t[1] .. string.format('%03d', math.floor(tonumber(t[2]) / 1000))\n" \
    "end\n" \
    /* The row of one record. */ \
    "local function row_of(n)\n" \
    " return call('ZRANGEBYLEX', rows, '[' .. n .. ' ', '(' .. n .. '!', 'LIMIT', 0, 1)[1]\n" \
    "end\n" \
    "local function guard_seq() return guard and seq(head(guard)) or zero end\n" \
    /* Do head and guard stand where the client saw them? */ \
    "local function stands(row)\n" \
    " return seq(row) == ARGV[5] and (not row or sub(row, 35, 98) == ARGV[6])\n" \
    "  and (ARGV[7] == '' or guard_seq() == ARGV[7])\n" \
    "end\n" \
    "local function note(forgot)\n" \
    " if forgot then\n" \
    "  call('XADD', changes, 'MAXLEN', '~', 65536, '*', 'n', name, 'w', nonce, 'f', '1')\n" \
    "  call('HSET', pad, 'scrub', nonce)\n" \
    " else\n" \
    "  call('XADD', changes, 'MAXLEN', '~', 65536, '*', 'n', name, 'w', nonce)\n" \
    " end\n" \
    "end\n" \
    "local function set_life(row, was)\n" \
    " if not was then call('ZADD', names, 0, name) end\n" \
    " if lives(row) and not lives(was) then call('ZADD', living, 0, name) end\n" \
    " if lives(was) and not lives(row) then call('ZREM', living, name) end\n" \
    "end\n" \
    /* What a client needs to seal again. */ \
    "local function recent(code, n)\n" \
    " local out = { code, now(), guard_seq() }\n" \
    " for i, row in ipairs(call('ZREVRANGE', rows, 0, n - 1)) do out[3 + i] = row end\n" \
    " return out\n" \
    "end\n"

/* The usual append, before any function is made: to a value or a log, without a guard and without an id. */
#define FOLLOW \
    "if verb == 'append' and ARGV[7] == '' and sub(ARGV[9], 104, 105) == '00' then\n" \
    " local was = call('ZREVRANGE', rows, 0, 0)[1]\n" \
    " if was and sub(was, 1, 16) == ARGV[5] and sub(was, 35, 98) == ARGV[6] and sub(was, 100, 100) ~= '2'\n" \
    "  and sub(ARGV[9], 100, 100) ~= '2' then\n" \
    "  call('ZADD', rows, 0, ARGV[9])\n" \
    "  if ARGV[10] ~= '' then call('HSET', bodies, sub(ARGV[9], 1, 16), ARGV[10]) end\n" \
    "  call('XADD', changes, 'MAXLEN', '~', 65536, '*', 'n', name, 'w', nonce)\n" \
    "  if ARGV[11] == '' then return { 0 } end\n" \
    "  local t = call('TIME')\n" \
    "  return { 0, t[1] .. string.format('%03d', math.floor(tonumber(t[2]) / 1000)) }\n" \
    " end\n" \
    "end\n"

static const char add[] = "#!lua\n" TOP FOLLOW SHARED
    /* A live name above or below one that is about to live. */
    "local function clash()\n"
    " local at = string.find(name, '/', 1, true)\n" /* a kind alone is no name */
    " at = at and string.find(name, '/', at + 1, true)\n"
    " while at do\n"
    "  local above = sub(name, 1, at - 1)\n"
    "  if call('ZSCORE', living, above) then return above end\n"
    "  at = string.find(name, '/', at + 1, true)\n"
    " end\n"
    " return call('ZRANGEBYLEX', living, '[' .. name .. '/', '(' .. name .. '0', 'LIMIT', 0, 1)[1]\n"
    "end\n"
    "local function id_of(row)\n"
    " local n = tonumber(sub(row, 104, 105), 16)\n"
    " local line = n > 0 and string.find(row, '\\n', 106, true)\n"
    " return line and sub(row, line + 1, line + n)\n"
    "end\n"
    "local function id_seen(row)\n"
    " local id = id_of(row)\n"
    " if not id then return false end\n"
    " for _, one in ipairs(call('ZREVRANGE', rows, 0, 15)) do\n"
    "  if id_of(one) == id then return true end\n"
    " end\n"
    " return false\n"
    "end\n"
    "local function put(row, body)\n"
    " call('ZADD', rows, 0, row)\n"
    " if body ~= '' then call('HSET', bodies, sub(row, 1, 16), body) end\n"
    "end\n"
    /* append: how many rows to answer with, row, body, not '' if the time is wanted */
    "if verb == 'append' then\n"
    " local was, row = head(rows), ARGV[9]\n"
    " if not stands(was) or id_seen(row) then\n"
    "  local code, mine = 2, seq(row)\n"
    "  local there = row_of(mine)\n"
    "  if there and sub(there, 18, 33) == nonce then code = 1\n"
    "  elseif not there and call('ZLEXCOUNT', rows, '[' .. mine, '+') > 0 then code = 4 end\n"
    "  return recent(code, tonumber(ARGV[8]))\n"
    " end\n"
    " local other = lives(row) and not lives(was) and clash()\n"
    " if other then return { 3, now(), other } end\n"
    " put(row, ARGV[10])\n"
    " set_life(row, was)\n"
    " note()\n"
    " return { 0, now() }\n"
    "end\n"
    /* put: the seqs between which it goes ('' at the end), then row, body, row, body ... */
    "if verb == 'put' then\n"
    " local was, after = head(rows), ARGV[9]\n"
    " local there = row_of(seq(ARGV[#ARGV - 1]))\n"
    " if there and sub(there, 18, 33) == nonce then return { 1 } end\n"
    " if not stands(was) then return { 2 } end\n"
    " if after ~= '' and call('ZLEXCOUNT', rows, '(' .. ARGV[8] .. '!', '(' .. after) > 0 then\n"
    "  return { 2 }\n"
    " end\n"
    " local last = ARGV[#ARGV - 1]\n"
    " local other = after == '' and lives(last) and not lives(was) and clash()\n"
    " if other then return { 3, other } end\n"
    " for i = 10, #ARGV, 2 do put(ARGV[i], ARGV[i + 1]) end\n"
    " if after == '' then set_life(last, was) end\n"
    " note()\n"
    " return { 0 }\n"
    "end\n"
    /* make: the format, the replication id */
    "if verb == 'make' then\n"
    " if call('EXISTS', pad) == 1 then return { 1 } end\n"
    " call('HSET', pad, 'id', ARGV[2], 'format', ARGV[5], 'replid', ARGV[6])\n"
    " call('XADD', changes, '*', 'n', '', 'w', nonce)\n"
    " return { 0 }\n"
    "end\n"
    "return redis.error_reply('ERR no such verb')\n";

#define REST \
    /* look: how many rows */ \
    "if verb == 'look' then return recent(2, tonumber(ARGV[5])) end\n" \
    /* beside: a seq, the seq of a record that may be the client's own (0: the head), how many of the newest */ \
    "if verb == 'beside' then\n" \
    " local mine = ARGV[6] == zero and head(rows) or row_of(ARGV[6])\n" \
    " local out = { 0, now(), guard_seq(), mine and sub(mine, 18, 33) == nonce and 1 or 0,\n" \
    "  head(rows) or '', call('ZREVRANGEBYLEX', rows, '(' .. ARGV[5], '-', 'LIMIT', 0, 1)[1] or '',\n" \
    "  call('ZRANGEBYLEX', rows, '[' .. ARGV[5], '+', 'LIMIT', 0, 1)[1] or '' }\n" \
    " if ARGV[7] ~= '0' then\n" \
    "  for i, row in ipairs(call('ZREVRANGE', rows, 0, tonumber(ARGV[7]) - 1)) do out[7 + i] = row end\n" \
    " end\n" \
    " return out\n" \
    "end\n" \
    /* find: seqs */ \
    "if verb == 'find' then\n" \
    " local out = { 0, now(), guard_seq(), head(rows) or '' }\n" \
    " for i = 5, #ARGV do out[i] = row_of(ARGV[i]) or '' end\n" \
    " return out\n" \
    "end\n" \
    /* changes: the entry that was seen last, its writer's number, how many names */ \
    "if verb == 'changes' then\n" \
    " local newest = call('XREVRANGE', changes, '+', '-', 'COUNT', 1)[1] or { '0-0', { 'n', '', 'w', '' } }\n" \
    " local out = { 0, newest[1], newest[2][4], 1, 0 }\n" \
    " local seen = ARGV[5] ~= '' and call('XRANGE', changes, ARGV[5], ARGV[5])[1]\n" \
    " if not seen or seen[2][4] ~= ARGV[6] then return out end\n" \
    " local seen_names, limit = {}, tonumber(ARGV[7])\n" \
    " for _, one in ipairs(call('XRANGE', changes, '(' .. ARGV[5], '+')) do\n" \
    "  local fields = one[2]\n" \
    "  if fields[5] then out[5] = 1 end\n" \
    "  if fields[2] ~= '' and not seen_names[fields[2]] then\n" \
    "   if limit == 0 then return { 0, newest[1], newest[2][4], 1, 0 } end\n" \
    "   seen_names[fields[2]] = true\n" \
    "   out[#out + 1] = fields[2]\n" \
    "   limit = limit - 1\n" \
    "  end\n" \
    " end\n" \
    " out[4] = 0\n" \
    " return out\n" \
    "end\n" \
    /* check: after which name, how many; rows are found by the prefix of their keys */ \
    "if verb == 'check' then\n" \
    " local out = { 0, '' }\n" \
    " local found = call('ZRANGEBYLEX', names, ARGV[5], '+', 'LIMIT', 0, ARGV[6])\n" \
    " for _, one in ipairs(found) do\n" \
    "  local row = head(ARGV[7] .. one)\n" \
    "  out[2] = one\n" \
    "  if not row or (call('ZSCORE', living, one) and true or false) ~= (lives(row) and true or false) then\n" \
    "   out[#out + 1] = one\n" \
    "  end\n" \
    " end\n" \
    " return out\n" \
    "end\n" \
    /* known: is there such a name? */ \
    "if verb == 'known' then return { call('ZSCORE', names, name) and 1 or 0 } end\n" \
    /* facts */ \
    "if verb == 'facts' then\n" \
    " local f = call('HMGET', pad, 'id', 'format', 'replid', 'scrub')\n" \
    " return { 0, now(), f[1] or '', f[2] or '', f[3] or '', f[4] or '' }\n" \
    "end\n"

static const char look[] = "#!lua flags=no-writes,allow-oom\n" TOP SHARED REST
    "return redis.error_reply('ERR no such verb')\n";

static const char rest[] = "#!lua flags=allow-oom\n" TOP SHARED REST
    /* fact: which, what it must be now, what it becomes ('' removes it) */
    "if verb == 'fact' then\n"
    " if (call('HGET', pad, ARGV[5]) or '') ~= ARGV[6] then return { 2 } end\n"
    " if ARGV[7] == '' then call('HDEL', pad, ARGV[5]) else call('HSET', pad, ARGV[5], ARGV[7]) end\n"
    " return { 0 }\n"
    "end\n"
    /* Records before a seq, at most `limit` of them. */
    "local function drop(before, limit)\n"
    " local found = call('ZRANGEBYLEX', rows, '-', '(' .. before, 'LIMIT', 0, limit)\n"
    " for _, row in ipairs(found) do\n"
    "  call('ZREM', rows, row)\n"
    "  call('HDEL', bodies, seq(row))\n"
    " end\n"
    " return #found\n"
    "end\n"
    "local was = head(rows)\n"
    /* purge: the tombstone's row */
    "if verb == 'purge' and was and sub(was, 18, 33) == nonce then return { 1 } end\n"
    "if not stands(was) then return { 2 } end\n"
    "if verb == 'purge' then\n"
    " call('UNLINK', rows, bodies)\n"
    " call('ZADD', rows, 0, ARGV[8])\n"
    " set_life(ARGV[8], was)\n"
    " note(true)\n"
    " return { 0 }\n"
    "end\n"
    /* trim: before which seq, how many at most */
    "if verb == 'trim' then return { 0, drop(ARGV[8], ARGV[9]) } end\n"
    /* drop: before which record, which must be there */
    "if verb == 'drop' then\n"
    " if not row_of(ARGV[8]) then return { 2 } end\n"
    " drop(ARGV[8], -1)\n"
    " note(true)\n"
    " return { 0 }\n"
    "end\n"
    /* blank: the seqs of records whose bodies go */
    "if verb == 'blank' then\n"
    " for i = 8, #ARGV do if not row_of(ARGV[i]) then return { 2 } end end\n"
    " for i = 8, #ARGV do\n"
    "  local row = row_of(ARGV[i])\n"
    "  call('ZREM', rows, row)\n"
    "  call('ZADD', rows, 0, sub(row, 1, 101) .. '1' .. sub(row, 103))\n"
    "  call('HDEL', bodies, ARGV[i])\n"
    " end\n"
    " note(true)\n"
    " return { 0 }\n"
    "end\n"
    "return redis.error_reply('ERR no such verb')\n";

static const char see[] = "#!lua flags=no-writes,allow-oom\n" READING;
static const char get[] = "#!lua flags=allow-oom\n" READING;
/* clang-format on */

const char *const redis_scripts[SCRIPTS] = {
    [SCRIPT_ADD] = add,   [SCRIPT_READ] = get,  [SCRIPT_READ_LOOK] = see,
    [SCRIPT_REST] = rest, [SCRIPT_LOOK] = look,
};
