/* search.js - what the pad knows about some words, as one types: snippets, filters by kind, author
 * and time, and why each hit stands where it does.
 *
 * Where a server has several pads all of them are searched, whichever is looked at, unless one is chosen.
 * Searching is about the present.  While time travelling, hits are what is known today, and their
 * links lead to the text as it was then. */
import { h, fill, choose, place, called, named, time, author, tag, number, many, later, empty, key, code, $ } from './base.js';
import { about, knowPads, sentence, past } from './app.js';

const PAGE = 20, LIMIT_MAX = 100; /* the most that a pad is asked for at once */
const KINDS = ['notes', 'memories', 'artifacts', 'runs'];
const TIMES = [['', 'any time'], ['1', 'last 24 hours'], ['7', 'last 7 days'], ['30', 'last 30 days']]; /* days */

export async function view(page) {
  await knowPads();
  const ui = { page, hits: [], more: false, pads: about().pads, opened: new Set() };
  const pick = (name, label, options) => h('select', { 'aria-label': label, 'data-param': name, onchange: e => choose({ [name]: e.target.value }) },
    options.map(([v, word]) => h('option', { value: v, selected: (page.params[name] ?? '') === v }, word)));
  ui.by = h('input', { 'aria-label': 'Written by', placeholder: 'by anybody', value: page.params.by ?? '', autocomplete: 'off', oninput: later(e => choose({ by: e.target.value.trim() }), 150) });
  ui.count = h('p', { class: 'muted', role: 'status' });
  ui.list = h('ul', { class: 'hits', 'data-list': true });
  ui.panel = h('section', { class: 'panel', 'aria-label': 'Hits' });
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Search'), ui.count, h('div', { class: 'filters push' },
    ui.pads.length > 1 ? pick('in', 'Pads', [['', 'every pad'], ...ui.pads.map(p => [p.id, named(p.name)])]) : null, pick('kind', 'Kind', [['', 'every kind'], ...KINDS.map(k => [k, k])]), ui.by, pick('since', 'Written', TIMES))), ui.panel);
  page.title('Search');
  page.onchange(later(() => load(ui, { quiet: true }), 500));
  await load(ui);
  return { update: () => load(ui) };
}

const question = ui => {
  const { q, kind, by, since } = ui.page.params;
  return { query: q, kind, by, since: since && new Date(Date.now() - Number(since) * 86400e3).toISOString(), explain: 'true' };
};

async function load(ui, { quiet = false } = {}) {
  const query = (ui.page.params.q ?? '').trim(), mine = ui.asking = {};
  if ($('query').value.trim() !== query && document.activeElement !== $('query')) $('query').value = query;
  ui.page.title(query ? `Search: ${query}` : 'Search');
  if (!query) { ui.count.textContent = ''; fill(ui.panel, hints()); return; }
  const limit = quiet ? Math.min(LIMIT_MAX, Math.max(PAGE, ui.hits.length)) : PAGE;
  let said;
  try { said = await find(ui, limit); } catch (e) {
    if (e.name === 'AbortError' || ui.asking !== mine) return;
    fill(ui.panel, empty(sentence(e.message), 'Change the words or a filter.'));
    return;
  }
  if (ui.asking !== mine) return; /* a newer question is on its way */
  ui.hits = said.hits;
  ui.more = said.more;
  draw(ui);
}
const asked = ui => ui.pads.filter(p => !ui.page.params.in || p.id === ui.page.params.in);
/* Of several pads each is asked, and the hits stand in the order of their scores; a pad that fails is
 * left out if another one answers. */
async function find(ui, limit, offset) {
  const ask = { ...question(ui), limit, offset };
  ui.limit = limit;
  if (ui.pads.length < 2) return ui.page.get('pad/search', ask);
  const all = await Promise.allSettled(asked(ui).map(async p => {
    const said = await ui.page.get('pad/search', { ...ask, pad: p.id });
    return { more: said.more, hits: said.hits.map(hit => ({ ...hit, pad: p })) };
  }));
  const good = all.filter(a => a.status === 'fulfilled').map(a => a.value), bad = all.find(a => a.status === 'rejected');
  if (bad && (!good.length || bad.reason.name === 'AbortError')) throw bad.reason;
  return { hits: good.flatMap(s => s.hits).sort((a, b) => b.score - a.score), more: good.some(s => s.more) };
}

function draw(ui) {
  const best = ui.hits[0]?.score || 1;
  ui.count.textContent = ui.hits.length ? `${many(ui.hits.length, 'hit')}${ui.more ? ', and more' : ''}` : '';
  if (!ui.hits.length) {
    const p = ui.page.params, filtered = p.kind || p.by || p.since || p.in;
    fill(ui.panel, empty(`Nothing has “${named(p.q)}”.`, filtered ? ['There are filters: ', h('button', { type: 'button', onclick: () => { ui.by.value = ''; for (const s of ui.page.root.querySelectorAll('select')) s.value = ''; choose({ kind: null, by: null, since: null, in: null }); } }, 'Search without them')] : ['Endings, case and accents do not matter. Fewer words, or the beginning of one, like ', code('back*'), ', find more.']));
    return;
  }
  const focused = document.activeElement?.closest('[data-hit]')?.dataset.hit;
  fill(ui.list, ui.hits.map(hit => row(ui, hit, best)));
  if (focused) [...ui.list.children].find(n => n.dataset.hit === focused)?.querySelector('[data-row]')?.focus();
  fill(ui.panel, past() ? h('p', { class: 'pad-in muted' }, 'Found in what is known today; each link shows the text as it was then.') : null, ui.list,
    ui.more && (asked(ui).length < 2 || ui.limit < LIMIT_MAX) ? h('p', { class: 'pad-in' }, h('button', { type: 'button', onclick: () => next(ui) }, 'Show more')) : null);
}
async function next(ui) {
  const at = ui.list.children.length, one = asked(ui).length < 2;
  const said = one ? await find(ui, PAGE, ui.hits.length) : await find(ui, Math.min(LIMIT_MAX, ui.limit + 2 * PAGE));
  ui.hits = one ? ui.hits.concat(said.hits) : said.hits;
  ui.more = said.more;
  draw(ui);
  ui.list.children[at]?.querySelector('[data-row]')?.focus();
}

/* A list that is drawn again keeps what has the focus, and which reasons are unfolded. */
const markOf = hit => `${hit.pad?.id ?? ''} ${hit.stream} ${hit.seq}`;
function row(ui, hit, best) {
  const kind = hit.stream.split('/')[0], target = place(hit.stream, { ...(kind === 'runs' ? { step: hit.seq } : {}), ...(hit.pad ? { pad: hit.pad.id } : {}) });
  return h('li', { 'data-hit': markOf(hit) }, h(target ? 'a' : 'div', { class: 'hit', href: target, 'data-row': true },
    h('span', { class: 'top' }, h('span', { class: 'name' }, named(called(hit.stream))), hit.pad ? tag(named(hit.pad.name), 'pad') : null, kind === 'runs' ? h('span', null, `step ${hit.seq}`) : null, author(hit.by), hit.at ? time(hit.at) : null, h('span', { class: 'num push' }, `~${number(hit.tokens)} tokens`)),
    h('p', null, snippet(hit.snippet ?? ''))), hit.explain ? why(ui, hit, best) : null);
}
/* The words that were found stand between ** and **. */
function snippet(text) {
  return named(text).split('**').map((part, n) => n % 2 ? h('mark', null, part) : part);
}
function why(ui, hit, best) {
  const mark = markOf(hit), toggled = e => ui.opened[e.target.open ? 'add' : 'delete'](mark);
  const parts = Object.entries(hit.explain).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])), most = Math.max(...parts.map(p => Math.abs(p[1])), 1e-9);
  return h('details', { class: 'why', open: ui.opened.has(mark), ontoggle: toggled }, h('summary', null, `Why here: ${points(hit.score)} points, ${Math.round(hit.score / best * 100)} % of the best`),
    h('table', null, h('caption', { class: 'unread' }, 'The parts of its score'), h('tbody', null, parts.map(([word, n]) => h('tr', null, h('th', { scope: 'row' }, named(word)), h('td', { class: 'num' }, points(n)),
      h('td', null, h('span', { class: `meter ${n < 0 ? 'minus' : ''}`, style: { '--part': Math.abs(n) / most } })))))));
}
const points = n => (n * 100).toFixed(1);

function hints() {
  return empty('Type what you look for.', ['Words in any order; ', code('"exact words"'), '; ', code('back*'), ' for what begins so; ', code('parseConfig'), ' or ', code('src/main.c'), ' as they are.'], [key('/'), ' comes back here from anywhere, ', key('Enter'), ' goes to the hits.']);
}
