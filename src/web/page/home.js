/* home.js - the first view: what waits for a person, what changed since they were here, and what
 * happens now.
 *
 * Waiting and open things belong to the present: while time travelling only the changes up to that
 * moment are shown, and that is said. */
import { h, fill, kept, aside, later, time, author, tag, to, place, called, command, many, named, shown, plain, say, lasting, copy, key, number, short, padHere } from './base.js';
import { setWaiting, readOnly, sentence } from './app.js';

const FEED_MAX = 200; /* changes kept in the document */

/* The last visit to a pad ended when the page was last hidden; it stays the same while this tab lives. */
const left = () => `left.${padHere()}`, since = () => `jotter.since.${padHere()}`;
function lastVisit() {
  try {
    const here = sessionStorage.getItem(since()) ?? kept.get(left()) ?? '';
    sessionStorage.setItem(since(), here);
    return here;
  } catch { return kept.get(left()) ?? ''; }
}
const leaving = () => kept.set(left(), new Date().toISOString());
document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'hidden') leaving(); });
addEventListener('pagehide', leaving);

export async function view(page) {
  const state = { page, by: '', kind: '', fresh: new Set() };
  if (page.at) return drawPast(state);
  const now = await page.get('pad/now', { since: lastVisit(), limit: 60 });
  page.title('Now');
  state.waiting = h('section', { class: 'panel', 'aria-labelledby': 'waiting-title' });
  state.since = h('div', { class: 'wrap' });
  state.feed = h('section', { class: 'panel', 'aria-labelledby': 'feed-title' });
  state.open = h('div', { class: 'stack' });
  fill(page.root, h('h1', { class: 'unread' }, 'Now'),
    h('div', { class: 'grid' }, h('div', { class: 'stack' }, state.waiting, state.since, state.feed), state.open));
  take(state, now);
  drawSince(state, now.since);
  drawFeedFrame(state);
  drawFeed(state);
  page.onchange(change => {
    if (change) state.fresh.add(`${change.stream} ${change.seq}`);
    soon(state);
  });
  const tick = setInterval(() => countDown(page.root), 1000);
  page.signal.addEventListener('abort', () => clearInterval(tick));
  page.keys(keysOf(state));
}

/* Look again, but spend at most a fifth of the time on it: in a large pad a look takes a while. */
function soon(state) {
  if (state.waits) { state.missed = true; return; }
  state.waits = setTimeout(async () => {
    const begun = performance.now();
    await refresh(state);
    state.cost = performance.now() - begun;
    state.waits = null;
    if (state.missed) { state.missed = false; soon(state); }
  }, Math.max(150, (state.cost ?? 0) * 4));
}
async function refresh(state) {
  try {
    const now = await state.page.get('pad/now', { limit: 60 });
    take(state, now);
    drawFeed(state);
    if (state.by || state.kind) await loadFeed(state);
  } catch (e) { if (e.name !== 'AbortError' && e.status !== 'offline') say(sentence(e.message)); }
}
function take(state, now) {
  state.changes = now.changes;
  state.kinds = Object.keys(now.counts ?? {});
  state.items = now.waiting.items.filter(i => !aside.has(i));
  state.hiddenItems = now.waiting.items.length - state.items.length;
  state.total = (now.waiting.count ?? now.waiting.items.length) - state.hiddenItems;
  setWaiting(state.total);
  drawWaiting(state, now);
  drawOpen(state, now);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

function putAside(state, item) {
  aside.put(item);
  say('Put aside until it changes', h('button', { type: 'button', onclick: () => { aside.take(item); refresh(state); } }, 'Undo'));
  refresh(state);
}

const WORDS = { rule: 'rule', task: 'task', run: 'run', conflict: 'conflict', quarantine: 'quarantine', secret: 'secret', edit: 'edit' };

/* What can be done about an item: [key, word, function]; the first is the one to expect. */
function deeds(state, item) {
  const list = [];
  if (!readOnly()) {
    if (item.what === 'rule') list.push(['a', 'Approve', () => act(state, item, 'rules/approve', { key: item.name, sha256: item.sha256 }, `'${item.name}' is a rule now`)]);
    const failed = item.says.startsWith('failed');
    if (item.what === 'task' && !failed) list.push(['u', 'Unblock', () => act(state, item, 'task/unblock', { id: item.name }, `'${item.name}' is ready`)]);
    if (item.what === 'task' && failed) list.push(['u', 'Try again', () => act(state, item, 'task/retry', { id: item.name }, `'${item.name}' is ready`)]);
  }
  if (item.what === 'secret' && !readOnly()) list.push(['r', 'Redact …', async () => { const key = item.stream?.replace(/^notes\//, '') ?? item.name; (await import('./note.js')).redact(state.page, key, () => refresh(state)); }]);
  if ((item.what === 'secret' || (item.what === 'conflict' && /^(notes|memories)\//.test(item.stream))) && !readOnly()) list.push(['e', 'Edit it', () => { location.hash = place(item.stream ?? `notes/${item.name}`, { edit: '1' }); }]);
  if (item.command && !list.length) list.push(['c', 'Copy the command', () => copy(item.command)]);
  list.push(['x', 'Put aside', () => putAside(state, item)]);
  return list;
}
async function act(state, item, path, body, done) {
  try {
    await state.page.post(path, body);
    say(done);
  } catch (e) { say(sentence(e.message)); }
  await refresh(state);
}

function drawWaiting(state, now) {
  const focused = document.activeElement?.dataset?.item, more = state.total - state.items.length;
  const list = state.items.map(item => {
    const stream = item.stream ?? { rule: `notes/${item.name}`, task: `tasks/${item.name}`, run: `runs/${item.name}`, secret: `notes/${item.name}`, conflict: `notes/${item.name}` }[item.what];
    const target = stream && place(stream);
    const title = item.what === 'run' ? item.about || item.name : item.name, list = deeds(state, item);
    return h('li', { tabindex: '0', 'data-row': true, 'data-item': aside.mark(item), 'aria-label': `${named(title)}: ${sentenceOf(item)}`, onkeydown: e => { if (e.key === 'Enter' && e.target === e.currentTarget && target) location.hash = target; } },
      h('div', { class: 'top' }, tag(WORDS[item.what] ?? named(item.what), item.what), target ? h('a', { class: 'what', href: target }, named(title)) : h('span', { class: 'what' }, named(title)),
        h('span', { class: 'muted' }, sentenceOf(item)), h('span', { class: 'muted push row' }, item.by ? author(item.by) : null, item.at ? time(item.at) : null)),
      item.what === 'rule' ? ruleText(state, item) : item.about && item.what !== 'run' ? h('p', { class: 'about' }, named(item.about)) : null,
      h('p', { class: 'deeds' }, list.map(([k, word, does], n) => h('button', { type: 'button', class: n || k === 'c' ? 'quiet' : k === 'a' ? 'main' : '', onclick: does, 'aria-keyshortcuts': k }, word, ' ', key(k))),
        item.command && list[0][0] === 'c' ? h('code', null, named(item.command)) : null));
  });
  fill(state.waiting, h('h2', { id: 'waiting-title' }, 'Waiting for you', state.total ? h('b', { class: 'count' }, number(state.total)) : null),
    list.length ? h('ul', { class: 'waits', 'data-list': true }, list) : h('p', { class: 'pad-in muted' }, 'Nothing waits for you: no rule to approve, no blocked task, no run that failed.'),
    more > 0 ? h('p', { class: 'pad-in muted' }, `${many(more, 'more', 'more')}: they follow when these are done.`) : null,
    state.hiddenItems ? h('p', { class: 'pad-in muted' }, `${many(state.hiddenItems, 'thing')} put aside. `, h('button', { type: 'button', class: 'quiet', onclick: () => { kept.drop('aside'); refresh(state); } }, 'Show again')) : null);
  if (focused) [...state.waiting.querySelectorAll('[data-item]')].find(n => n.dataset.item === focused)?.focus();
}
const sentenceOf = item => named(item.says ?? '');
/* What would become a rule: its text, or what changed since the text that was approved. */
function ruleText(state, item) {
  const box = h('div', { class: 'scroll' }, h('pre', { class: 'text', tabindex: '0', 'aria-label': `The text of ${named(item.name)}` }, shown(plain(item.about))));
  if (item.approved_version) {
    Promise.all([import('./diff.js'), state.page.get('note/diff', { key: item.name, from: item.approved_version, to: 'now' })])
      .then(([m, said]) => fill(box, m.diffTable(said.diff, 'inline'))).catch(() => { /* the text itself stays */ });
  }
  return box;
}

/* A key is about the item that has the focus; where none has, the first press only chooses one. */
function keysOf(state) {
  const one = k => () => {
    const mark = document.activeElement?.closest?.('[data-item]')?.dataset.item, item = state.items.find(i => aside.mark(i) === mark);
    if (!item) { state.waiting.querySelector('[data-item]')?.focus(); return; }
    deeds(state, item).find(d => d[0] === k)?.[2]();
  };
  return { a: { says: 'approve the rule', does: one('a') }, u: { says: 'unblock the task', does: one('u') }, r: { says: 'redact a secret', does: one('r') }, e: { says: 'edit the note', does: one('e') }, c: { says: 'copy the command', does: one('c') }, x: { says: 'put aside', does: one('x') } };
}

/* --- Since you were here ---------------------------------------------------------------------- */

function drawSince(state, said) {
  if (!said?.streams?.length) { state.since.hidden = true; return; }
  fill(state.since, h('section', { class: 'panel', 'aria-labelledby': 'since-title' },
    h('div', { class: 'head' }, h('h2', { id: 'since-title' }, 'Since you were here'), h('span', { class: 'muted' }, many(said.changes, 'change'), ', last visit ', time(said.since)),
      h('button', { type: 'button', class: 'quiet push', onclick: () => { state.since.hidden = true; try { sessionStorage.setItem(since(), new Date().toISOString()); } catch { /* it comes back, no harm */ } } }, 'Read')),
    h('ul', { class: 'since' }, said.by.map(b => h('li', null, author(b.by), h('span', { class: 'muted' }, many(b.changes, 'change'))))),
    h('ul', { class: 'since' }, said.streams.slice(0, 24).map(s => h('li', null, to(s.stream, state.changes.find(c => c.stream === s.stream)?.query || undefined), h('span', { class: 'muted' }, s.changes > 1 ? `×${number(s.changes)}` : '', ' ', [s.by].flat().map(b => b === 'outside' ? 'by hand' : named(b)).join(', ')))),
      said.streams.length > 24 || said.more ? h('li', { class: 'muted' }, 'and more') : null)));
}

/* --- The feed --------------------------------------------------------------------------------- */

function drawFeedFrame(state) {
  const pick = (name, label) => {
    const field = h('select', { 'aria-label': label, onchange: () => { state[name] = field.value; drawFeed(state); loadFeed(state); } });
    state[`${name}Field`] = field;
    return field;
  };
  state.feedList = h('ul', { class: 'feed', 'data-list': true });
  fill(state.feed, h('div', { class: 'head' }, h('h2', { id: 'feed-title' }, 'Changes'), h('div', { class: 'filters push' }, pick('by', 'Changes by'), pick('kind', 'Changes of'))), state.feedList);
}
function options(field, all, every, now) {
  fill(field, [['', every], ...all.map(v => [v, v === 'outside' ? 'edited by hand' : v])].map(([v, word]) => h('option', { value: v, selected: v === now }, named(word))));
}
/* What was asked for with the newest changes may hold few that fit: the server looks further. */
async function loadFeed(state) {
  const asked = state.by || state.kind ? `${state.by} ${state.kind}` : '';
  if (!asked) { state.fitting = null; return drawFeed(state); }
  try {
    const said = await state.page.get('pad/changes', { by: state.by, kind: state.kind, limit: FEED_MAX });
    if (asked !== `${state.by} ${state.kind}`) return;
    state.fitting = { asked, changes: said.changes };
    drawFeed(state);
  } catch (e) { if (e.name !== 'AbortError' && e.status !== 'offline') say(sentence(e.message)); }
}
function drawFeed(state) {
  const found = state.fitting?.asked === `${state.by} ${state.kind}` ? state.fitting.changes : [];
  const changes = (found.length ? found : state.changes).slice(0, FEED_MAX), kindOf = c => c.stream.split('/')[0];
  options(state.byField, [...new Set([state.by, ...state.changes.map(c => c.by)])].filter(Boolean).sort(), 'everybody', state.by);
  options(state.kindField, [...new Set([state.kind, ...(state.kinds ?? []), ...state.changes.map(kindOf)])].filter(Boolean).sort(), 'every kind', state.kind);
  const fits = changes.filter(c => (!state.by || c.by === state.by) && (!state.kind || kindOf(c) === state.kind));
  const rows = together(fits).map(c => feedRow(c, state.fresh.has(`${c.stream} ${c.seq}`)));
  if (rows.length) fill(state.feedList, rows);
  else fill(state.feedList, h('li', { class: 'muted' }, h('span', null, changes.length ? 'No change fits these filters.' : 'Nothing has been written yet.')),
    changes.length ? null : h('li', null, command("jotter write plan 'ship on friday'")));
}
/* Changes of one stream by one author that follow each other are one row, which says how many. */
function together(changes) {
  const rows = [];
  for (const c of changes) {
    const last = rows.at(-1);
    if (last && last.stream === c.stream && last.by === c.by && !c.deleted && !last.deleted) { last.times++; last.grew += c.grew ?? 0; if (c.change === 'made') last.change = 'made'; }
    else rows.push({ ...c, grew: c.grew ?? 0, times: 1 });
  }
  return rows;
}
function feedRow(c, fresh) {
  const where = place(c.stream, c.stream.startsWith('runs/') ? {} : { v: c.seq || undefined });
  const grew = c.grew ? `${c.grew > 0 ? '+' : '−'}${short(Math.abs(c.grew))}` : '';
  return h('li', { class: fresh ? 'new' : '' }, time(c.at), tag(c.change),
    h('span', { class: 'name' }, where ? h('a', { href: where, 'data-row': true, title: c.query ? named(c.stream) : null }, named(c.query || called(c.stream))) : h('span', null, named(called(c.stream))),
      h('span', { class: 'muted' }, c.records > 1 ? ` ${many(c.records, 'record')}` : grew ? ` ${grew}` : '', c.times > 1 ? ` in ${number(c.times)} changes` : '')), author(c.by));
}

/* --- What is open ----------------------------------------------------------------------------- */

function drawOpen(state, now) {
  const box = (title, rows, none) => h('section', { class: 'panel', 'aria-label': title }, h('h2', null, title), rows.length ? h('ul', { class: 'open' }, rows) : h('p', { class: 'pad-in muted' }, none));
  const open = now.open ?? [], of = what => open.filter(o => o.what === what);
  fill(state.open,
    box('Runs under way', (now.runs ?? of('run').map(o => ({ id: o.name, query: o.about, at: o.at, state: o.state }))).map(runRow), 'No run is under way.'),
    box('Leases', (now.leases ?? []).map(leaseRow), 'Nobody holds a lease.'),
    box('Tasks', of('task').map(o => { const [word, ...why] = named(o.state).split(', '); return h('li', null, h('div', { class: 'row' }, tag(word), to(`tasks/${o.name}`, o.name)), h('p', { class: 'about' }, named(o.about ?? ''), why.length ? ` (${why.join(', ')})` : '')); }), 'No task is open.'),
    box('Plans', of('plan').map(o => h('li', null, h('div', { class: 'row' }, to(`plans/${o.name}`, o.name)), h('p', { class: 'about' }, named(o.about ?? ''), o.state ? ` (${named(o.state)})` : ''))), 'No plan is open.'),
    h('section', { class: 'panel', 'aria-label': 'In this pad' }, h('h2', null, 'In this pad'),
      h('dl', { class: 'facts pad-in' }, Object.entries(now.counts ?? {}).map(([k, n]) => [h('dt', null, k), h('dd', { class: 'num' }, number(n))]))));
}
/* How full its context was when its model answered last, and which calls it waits for. */
function runRow(run) {
  const b = run.budget, usable = b ? b.window - b.headroom : 0, calls = run.calls ?? [];
  return h('li', null, to(`runs/${run.id}`, run.query || run.id),
    usable > 0 ? h('div', { class: `gauge ${b.state === 'red' ? 'full' : b.state === 'yellow' ? 'high' : ''}`, role: 'meter', 'aria-label': 'Tokens of its context', 'aria-valuemin': '0', 'aria-valuemax': usable, 'aria-valuenow': Math.min(b.used, usable) }, h('i', { style: { '--part': Math.min(1, b.used / usable) } })) : null,
    h('p', { class: 'about row' }, run.by ? author(run.by) : null, time(run.at), many(run.records ?? 0, 'record'), usable > 0 ? `${short(b.used)} of ${short(usable)} tokens` : null),
    calls.length ? h('p', { class: 'about' }, `${many(calls.length, 'open call')}: ${calls.slice(0, 5).map(c => named(c.tool)).join(', ')}${calls.length > 5 ? ' …' : ''}`) : null);
}
function leaseRow(lease) {
  const name = `${lease.on}${lease.prefix ? '…' : ''}`;
  return h('li', null, h('div', { class: 'row' }, lease.prefix ? named(name) : to(lease.on), lease.live ? tag('live', 'good') : h('span', { class: 'muted num push', 'data-ends': Date.now() + lease.left_ms }, `${lasting(lease.left_ms)} left`)),
    h('div', { class: 'about' }, author(lease.by)),
    lease.live ? null : h('div', { class: 'gauge' }, h('i', { style: { '--part': Math.min(1, lease.left_ms / (lease.ttl_ms || lease.left_ms || 1)) } })));
}
function countDown(root) {
  for (const n of root.querySelectorAll('[data-ends]')) {
    const left = Number(n.dataset.ends) - Date.now();
    n.textContent = left > 0 ? `${lasting(Math.ceil(left / 1000) * 1000)} left` : 'ended';
  }
}

/* --- In the past ------------------------------------------------------------------------------ */

async function drawPast(state) {
  const said = await state.page.get('pad/changes', { limit: 100 });
  state.page.title('Changes until then');
  state.changes = said.changes;
  state.feed = h('section', { class: 'panel', 'aria-labelledby': 'feed-title' });
  fill(state.page.root, h('h1', { class: 'unread' }, 'Changes until then'), h('div', { class: 'stack' },
    h('p', { class: 'muted' }, 'Waiting, leases and runs under way belong to the present and are not shown here.'), state.feed));
  drawFeedFrame(state);
  drawFeed(state);
}
