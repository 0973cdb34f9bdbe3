/* app.js - finds the view for an address and keeps what stands around it: navigation, search field,
 * time travel, keys, the sign that says whether the page is live.
 *
 * A view is a module with one function, `view(page)`.  It fetches what it needs, draws into
 * page.root, and may return {update(page)}, which is called instead when only the rest of the
 * address changed; if that gives false, the view is drawn anew.  The view before stays visible until the next one is ready, so nothing jumps. */
import { $, h, fill, add, get, post, address, link, go, choose, live, token, kept, say, freshen, later, moment, key, aside, Refusal, named, first, padHere } from './base.js';

const VIEWS = [
  { name: 'home', word: 'Now', keys: 'h', load: () => import('./home.js'), path: [] },
  { name: 'notes', word: 'Notes', keys: 'n', load: () => import('./notes.js') },
  { name: 'memories', word: 'Memories', keys: 'm', load: () => import('./notes.js') },
  { name: 'artifacts', word: 'Artifacts', keys: 'a', load: () => import('./notes.js') },
  { name: 'runs', word: 'Runs', keys: 'r', load: () => import('./runs.js') },
  { name: 'tasks', word: 'Tasks', keys: 't', load: () => import('./tasks.js') },
  { name: 'plans', word: 'Plans', keys: 'p', load: () => import('./tasks.js') },
  { name: 'cycles', word: 'Cycles', keys: 'c', load: () => import('./cycles.js') },
  { name: 'context', word: 'Context', keys: 'x', load: () => import('./context.js') },
  { name: 'health', word: 'Health', keys: 'v', load: () => import('./health.js') },
  { name: 'search', word: 'Search', keys: 's', load: () => import('./search.js') },
];

let current = null; /* {name, page, instance}: the view that is shown */
let coming = null;  /* the page of the view that is made, or null: it hears of changes afterwards */
let turn = 0;       /* which call of show() is the newest */
const keys = new Map(); /* of the present view: key -> {says, does} */

/* --- Views ------------------------------------------------------------------------------------ */

function makePage(name, where) {
  const leave = new AbortController(), listeners = new Set();
  const page = {
    name, parts: where.parts.slice(1), params: where.params, at: where.params.at, pad: where.params.pad,
    root: h('div', { class: `view v-${name}` }), signal: leave.signal,
    title(text) { page.heading = text; if (current?.page === page) setTitle(); },
    /* Called with each change, or null if anything may have changed; not while time travelling. */
    onchange(f) { listeners.add(f); },
    keys(table) { page.keyTable = { ...page.keyTable, ...table }; if (current?.page === page) takeKeys(page); },
    /* A view asks about its own pad and moment, also when the address has gone on already. */
    get: (path, params) => { page.asked = true; return get(path, { pad: page.pad, at: page.at, ...params }, { signal: leave.signal }); },
    post: (path, body) => post(path, body, { pad: page.pad }),
    listeners,
    close() { leave.abort(); listeners.clear(); },
  };
  return page;
}

/* Each view, and each thing within it that can be updated in place, has its word. */
const wordOf = name => VIEWS.find(v => v.name === name)?.word ?? 'Jotter';
let waiting = 0, countedPad = null; /* how much waits, and in which pad that was counted */
export function setWaiting(n) { waiting = n; countedPad = address().params.pad ?? ''; setTitle(); drawNav(); }
async function countWaiting(pad) {
  try {
    const said = await get('pad/waiting');
    if (address().params.pad === pad) setWaiting(said.count - said.items.filter(aside.has).length);
  } catch { /* it is counted when the first view is opened */ }
}
function setTitle() {
  const what = current?.page.heading ?? wordOf(current?.name);
  document.title = `${waiting ? `(${waiting}) ` : ''}${what === 'Now' ? '' : named(what) + ' · '}${padName()}Jotter`;
}
const padName = () => pads.length ? `${named(pad().name)} · ` : '';

async function show() {
  const mine = ++turn, where = address(), hash = location.hash;
  const done = () => { if (mine === turn) document.documentElement.dataset.shows = hash; };
  const name = where.parts[0] ?? 'home', found = VIEWS.find(v => v.name === name);
  drawBar(where.params.at);
  live.turn(where.params.pad);
  if (current && current.name === name && current.page.at === where.params.at && current.pad === where.params.pad && current.instance?.update) {
    Object.assign(current.page, { parts: where.parts.slice(1), params: where.params });
    if (await current.instance.update(current.page) !== false) {
      drawNav();
      setTitle();
      return done();
    }
    if (mine !== turn) return;
  }
  const page = coming = makePage(name, where), slow = setTimeout(() => document.body.classList.add('busy'), 200);
  let instance;
  try {
    if (!found) throw new Refusal('not_found', `there is no view '${name}'`);
    const [module] = await Promise.all([found.load(), knowPads()]);
    instance = await module.view(page);
  } catch (e) {
    if (e.name === 'AbortError' || mine !== turn) return;
    fill(page.root, failure(e));
  } finally {
    clearTimeout(slow);
    if (mine === turn) document.body.classList.remove('busy');
  }
  if (mine !== turn) { page.close(); return; }
  const before = current;
  current = { name, page, instance, pad: where.params.pad };
  before?.page.close();
  fill($('main'), page.root);
  takeKeys(page);
  drawNav();
  setTitle();
  coming = null;
  page.shown?.();
  if (page.missed) tell(page, null);
  /* The place is read out: focus goes to the content, but never away from a field being typed in. */
  if (before && !typing(document.activeElement) && document.activeElement !== $('query')) $('main').focus({ preventScroll: true });
  if (before && before.name !== name) scrollTo(0, 0);
  if (name !== 'search' && document.activeElement !== $('query')) $('query').value = ''; /* it says what is searched, here nothing */
  if (name !== 'home' && countedPad !== (where.params.pad ?? '')) countWaiting(where.params.pad);
  if (!before || before.pad !== where.params.pad) drawPads();
  done();
}

function tell(page, change) { if (!page.at) for (const f of [...page.listeners]) f(change); }

/* What went wrong, in one sentence, and what to do next. */
export function failure(e) {
  if (!(e instanceof Refusal)) console.error(e);
  const next = { not_found: 'It may have been deleted or purged, or the link is from another pad.', offline: 'It is asked again every few seconds; nothing typed here is lost.', token: 'Start jotter serve again and use the link it prints.', pad: 'What you typed is kept in this browser, and is there again when the pad is served here.' }[e.status];
  return h('div', { class: 'empty', role: 'alert' }, h('p', { class: 'lead' }, sentence(e.message)), next ? h('p', null, next) : null, h('p', null, e.status === 'pad' ? h('button', { type: 'button', onclick: openServed }, 'Open the pad that is served now') : h('a', { href: link([]) }, 'To the first page')));
}
function openServed() { history.replaceState(null, '', '#/'); location.reload(); }
export const sentence = text => named(text).replace(/^./, c => c.toUpperCase()).replace(/([^.!?])$/, '$1.');

/* The server is back, or serves other pads: a view that failed, or that cannot be asked for any more, is drawn
 * again, unless somebody types. */
const redraw = later(() => {
  if (document.querySelector('.editing')) return;
  if (live.state === 'pad' || current?.page.root.querySelector(':scope > .empty[role=alert]')) { current = null; return show(); }
}, 50);

/* --- Around the view -------------------------------------------------------------------------- */

let pads = [], server = {};
export const about = () => ({ pads, ...server });
function drawNav() {
  const here = address().parts[0] ?? 'home';
  const items = VIEWS.filter(v => v.name !== 'search').map(v => h('a', {
    href: link(v.path ?? [v.name], { pad: address().params.pad }), 'aria-current': v.name === here ? 'page' : null, 'data-view': v.name,
  }, h('span', null, v.word), v.name === 'home' && waiting ? h('b', { class: 'count', title: `${waiting} waiting for you` }, String(waiting)) : null));
  fill($('nav'), items);
  const at = $('nav').querySelector('[aria-current]');
  if (at && matchMedia('(max-width: 800px)').matches) $('nav').scrollLeft = at.offsetLeft - 40;
}

function drawBar(at) {
  const bar = $('bar');
  bar.hidden = !at;
  document.documentElement.classList.toggle('past', Boolean(at));
  fill($('when').querySelector('span'), at ? 'Another time' : 'Time travel');
  if (!at) return fill(bar);
  const d = new Date(at);
  fill(bar, h('p', { role: 'status' }, h('strong', null, isNaN(d) ? `“${named(at)}” is no moment.` : `This is the past: ${moment(at)}.`), ' Nothing can be written here.'),
    h('button', { type: 'button', onclick: () => choose({ at: null }, {}) }, 'Back to now'));
}
export const past = () => Boolean(address().params.at);

const local = d => new Date(d - d.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
function openTime() {
  const now = address().params.at ? new Date(address().params.at) : new Date();
  const field = h('input', { type: 'datetime-local', step: '1', id: 'moment', value: local(isNaN(now) ? new Date() : now), max: local(new Date()), required: true });
  const quick = [['an hour ago', 3600], ['yesterday', 86400], ['a week ago', 7 * 86400]].map(([word, s]) =>
    h('button', { type: 'button', class: 'quiet', onclick: () => { field.value = local(new Date(Date.now() - s * 1000)); } }, word));
  dialog('Time travel', [
    h('p', null, 'Documents, tasks, plans, cycles and runs as they were at a moment. Nothing can be written there; leases, health and what waits for you belong to the present.'),
    h('form', { method: 'dialog', onsubmit: () => choose({ at: new Date(field.value).toISOString(), v: null, edit: null }, {}) },
      h('label', { for: 'moment' }, 'Show the pad as it was on'), field, h('p', { class: 'row' }, quick),
      h('p', { class: 'row' }, h('button', { class: 'main' }, 'Go there'), past() ? h('button', { type: 'button', onclick: e => { e.target.closest('dialog').close(); choose({ at: null }, {}); } }, 'Back to now') : null)),
  ]);
}

/* A dialog that ends with Esc, and gives the focus back to what had it. */
export function dialog(title, body) {
  const from = document.activeElement;
  const box = h('dialog', { 'aria-labelledby': 'dialog-title' },
    h('div', { class: 'head' }, h('h2', { id: 'dialog-title' }, title), h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => box.close() }, '×')), body);
  box.addEventListener('close', () => { box.remove(); from?.focus?.(); });
  box.addEventListener('click', e => { if (e.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

function openHelp() {
  const rows = list => h('dl', { class: 'keys' }, list.map(([k, says]) => [h('dt', null, [k].flat().map(x => key(x))), h('dd', null, says)]));
  dialog('Keys', [
    h('div', { class: 'columns' },
      h('section', null, h('h3', null, 'Everywhere'), rows([['/', 'search'], [['j', 'k'], 'next, previous in a list'], ['Enter', 'open it'], ['Esc', 'close, leave a field'], ['@', 'time travel'], ['?', 'this help']])),
      h('section', null, h('h3', null, 'Go to'), rows(VIEWS.map(v => [['g', v.keys], v.word]))),
      keys.size ? h('section', null, h('h3', null, 'Here'), rows([...keys].map(([k, v]) => [k, v.says]))) : null),
    h('p', { class: 'muted' }, `Jotter ${named(server.version ?? '')}. Writes from this page are by ${named(server.by ?? 'you')}.`),
  ]);
}

function drawLive() {
  const words = { on: ['live', 'Live', 'Changes are shown as they happen'], off: ['lost', 'Reconnecting …', 'The server does not answer. It is asked again every few seconds; what you typed is kept'], pad: ['lost', 'Not served here', 'The server at this address has other pads now; what you typed is kept'], no: ['', '', ''] }[live.state];
  const sign = $('live');
  sign.className = words[0];
  sign.title = words[2];
  sign.textContent = words[1];
}

function askToken() {
  if (document.querySelector('dialog.token')) return;
  const field = h('input', { id: 'token-field', type: 'password', autocomplete: 'off', required: true });
  const box = dialog('A token is needed', [
    h('p', null, 'This page opens with the link that ', h('code', null, 'jotter serve'), ' prints; the token stands in it. The one this browser has is missing or no longer valid.'),
    h('form', { method: 'dialog', onsubmit: () => { kept.set('token', field.value.trim().replace(/^.*token=/, '')); location.reload(); } },
      h('label', { for: 'token-field' }, 'The link, or the token'), field, h('p', { class: 'row' }, h('button', { class: 'main' }, 'Open'))),
  ]);
  box.classList.add('token');
}

/* Which pads there are: asked once, and again only where that failed. */
let reading = null;
export const knowPads = () => reading ??= readPads().catch(() => { reading = null; });
async function readPads() {
  const said = await get('pads');
  pads = said.pads;
  first.pad ??= pads[0].id;
  server = { ...said.server, by: said.by };
}
const pad = () => pads.find(p => p.id === padHere()) ?? pads[0];
function drawPads() {
  const here = pad();
  if (pads.length < 2) fill($('pads'), here ? h('span', { class: 'pad', title: here.url }, named(here.name)) : null);
  else fill($('pads'), h('select', { 'aria-label': 'Pad', onchange: e => { go([], { pad: e.target.value === first.pad ? null : e.target.value, at: null }); } },
    pads.map(p => h('option', { value: p.id, selected: p === here }, named(p.name)))));
  if (here?.read_only || server.read_only) add($('pads'), h('span', { class: 'tag' }, 'read only'));
}
export const readOnly = () => past() || Boolean(server.read_only) || Boolean(pad()?.read_only);

/* --- Keys ------------------------------------------------------------------------------------- */

const typing = e => e instanceof HTMLElement && (e.isContentEditable || e.matches('textarea, select, input:not([type=checkbox], [type=range], [type=radio])'));
function takeKeys(page) {
  keys.clear();
  for (const [k, v] of Object.entries(page.keyTable ?? {})) keys.set(k, v);
}

/* The rows of the list that has the focus, else of the first one in the view. */
function move(step) {
  const at = document.activeElement, list = at?.closest('[data-list]') ?? document.querySelector('main [data-list]');
  if (!list) return;
  if (list.move) return list.move(step); /* a long list, which has only some of its rows in the document */
  const rows = [...list.querySelectorAll('[data-row]')], i = rows.indexOf(at?.closest('[data-row]'));
  const next = rows[i < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, i + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

let going = 0; /* when `g` was pressed */
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector('dialog[open]')) return;
  if (e.key === 'Escape') {
    if (typing(document.activeElement)) document.activeElement.blur();
    else keys.get('Esc')?.does();
    return;
  }
  if (typing(document.activeElement)) return;
  const pressed = e.key, goes = Date.now() - going < 1500 && VIEWS.find(v => v.keys === pressed);
  going = 0;
  if (goes) go(goes.path ?? [goes.name], {});
  else if (pressed === '/') { $('query').focus(); $('query').select(); }
  else if (pressed === 'g') going = Date.now();
  else if (pressed === 'j') move(1);
  else if (pressed === 'k') move(-1);
  else if (pressed === '?') openHelp();
  else if (pressed === '@') openTime();
  else if (keys.has(pressed)) keys.get(pressed).does(e);
  else return;
  e.preventDefault();
});

/* --- Begin ------------------------------------------------------------------------------------ */

const search = later(() => {
  const query = $('query').value.trim(), here = address();
  if (here.parts[0] === 'search') choose({ q: query }, { replace: true });
  else if (query) go(['search'], { q: query });
}, 120);
$('find').addEventListener('submit', e => { e.preventDefault(); search(); });
$('query').addEventListener('input', search);
$('query').addEventListener('keydown', e => {
  if (e.key === 'ArrowDown' || e.key === 'Enter') { const first = document.querySelector('main [data-row]'); if (first && address().parts[0] === 'search') { first.focus(); e.preventDefault(); } }
});
$('when').addEventListener('click', openTime);
$('help').addEventListener('click', openHelp);
addEventListener('jotter-token', askToken);
addEventListener('jotter-live', () => { drawLive(); if (live.state === 'on' || live.state === 'pad') redraw(); });
addEventListener('jotter-server', () => { reading = null; knowPads().then(drawPads); });
addEventListener('jotter-go', show);
addEventListener('popstate', () => { if (/token=/.test(location.hash)) token.take(); const q = address().params.q; if (q !== undefined) $('query').value = q; show(); });
document.querySelector('.skip').addEventListener('click', e => { e.preventDefault(); $('main').focus(); });
live.listeners.add(change => {
  if (current) tell(current.page, change);
  if (coming?.asked) coming.missed = true; /* what it was answered may be older */
});
addEventListener('pagehide', () => live.stop?.abort()); /* another tab takes over at once */
setInterval(freshen, 10000);
/* What was asked for by a view that is gone is of no interest; a refusal nobody took is said. */
addEventListener('unhandledrejection', e => {
  if (e.reason?.name !== 'AbortError' && !(e.reason instanceof Refusal)) return;
  e.preventDefault();
  if (e.reason instanceof Refusal && e.reason.status !== 'token') say(sentence(e.reason.message));
});

token.take();
$('query').value = address().params.q ?? '';
drawNav();
show();
knowPads().then(() => { drawPads(); setTitle(); live.follow(); });
