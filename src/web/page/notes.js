/* notes.js - notes, memories and artifacts: the list with its filter, and beside it the document
 * that is chosen (note.js). */
import { h, fill, link, go, choose, later, ago, named, number, empty, command, when } from './base.js';
import { failure, readOnly, past } from './app.js';
import { longList } from './list.js';
import { openDocument, newNote, draftNames } from './note.js';

const PAGE = 200;
const WORDS = {
  notes: { one: 'note', title: 'Notes', prefix: '', none: 'There is no note yet.', next: ['Write the first one here, or from a terminal:', "jotter write plan 'ship on friday'"] },
  memories: { one: 'memory file', title: 'Memories', prefix: 'memories/', none: 'There is no memory file yet.', next: ['They are written by models with the memory tool. To offer it to one:', 'jotter setup claude-code'] },
  artifacts: { one: 'artifact', title: 'Artifacts', prefix: 'artifacts/', none: 'There is no artifact yet.', next: ['An artifact is JSON that an agent keeps under a category:', "echo '{\"ok\": true}' | jotter artifact write reports nightly"] },
};

/* A document's name in the API, and how it is called in the list. */
const keyOf = (kind, name) => kind === 'notes' ? name : `${kind}/${name}`;
const nameOf = doc => doc.stream.slice(doc.stream.indexOf('/') + 1);

export async function view(page) {
  const words = WORDS[page.name], ui = { page, words, kind: page.name };
  ui.filter = h('input', { type: 'search', placeholder: `Filter ${page.name}`, 'aria-label': `Filter ${page.name}`, autocomplete: 'off', spellcheck: 'false', value: page.params.filter ?? '' });
  ui.order = h('select', { 'aria-label': 'Order' }, [['', 'newest first'], ['name', 'by name']].map(([v, w]) => h('option', { value: v, selected: (page.params.order ?? '') === v }, w)));
  ui.deleted = h('input', { type: 'checkbox', id: 'deleted', checked: page.params.deleted === '1' });
  ui.list = longList({ label: words.title, render: doc => row(ui, doc), more: () => more(ui) });
  ui.count = h('span', { role: 'status' });
  ui.detail = h('div', { class: 'detail' });
  ui.listPanel = h('section', { class: 'panel list', 'aria-label': words.title },
    h('div', { class: 'filter' }, ui.filter, h('div', { class: 'row' }, ui.order, h('label', { class: 'row' }, ui.deleted, 'deleted'),
      page.name === 'notes' && !readOnly() ? h('button', { type: 'button', class: 'push', onclick: () => go(['notes'], { new: '1' }) }, 'New') : null)),
    ui.list.node, h('div', { class: 'foot' }, ui.count));
  ui.pair = h('div', { class: 'pair' }, ui.listPanel, ui.detail);
  fill(page.root, h('h1', { class: 'unread' }, words.title), ui.pair);

  const filtered = later(() => choose({ filter: ui.filter.value.trim() }), 120);
  ui.filter.addEventListener('input', filtered);
  ui.filter.addEventListener('keydown', e => { if (e.key === 'ArrowDown' || e.key === 'Enter') { ui.list.node.move(1); e.preventDefault(); } });
  ui.order.addEventListener('change', () => choose({ order: ui.order.value }));
  ui.deleted.addEventListener('change', () => choose({ deleted: ui.deleted.checked ? '1' : '' }));
  const again = later(() => load(ui, { quiet: true }), 200);
  page.onchange(when(s => s.startsWith(`${ui.kind}/`), again));
  page.onchange(change => ui.document?.changed(change));
  page.keys({ n: { says: 'new note', does: () => { if (ui.kind === 'notes' && !readOnly()) go(['notes'], { new: '1' }); } }, f: { says: 'filter the list', does: () => ui.filter.focus() } });
  await Promise.all([load(ui), drawChosen(ui)]);
  if (!page.parts.length && page.params.new !== '1') fill(ui.detail, nothing(ui));
  page.shown = () => revealChosen(ui);
  return { update: () => update(ui) };
}

async function update(ui) {
  const asked = JSON.stringify(question(ui));
  await Promise.all([asked !== ui.asked ? load(ui) : null, drawChosen(ui)]);
}

/* --- The list --------------------------------------------------------------------------------- */

function question(ui) {
  const p = ui.page.params;
  return { prefix: ui.words.prefix, filter: p.filter, deleted: p.deleted === '1' ? 'true' : undefined, recent: p.order === 'name' || p.deleted === '1' ? undefined : 'true', first: 'true', limit: PAGE };
}
async function load(ui, { quiet = false } = {}) {
  const ask = question(ui), asked = ui.asked = JSON.stringify(ask);
  let said;
  try { said = await ui.page.get('note/list', quiet && ui.list.state.rows.length > PAGE ? { ...ask, limit: Math.min(1000, ui.list.state.rows.length) } : ask); }
  catch (e) { if (quiet || e.name === 'AbortError') return; throw e; }
  if (ui.asked !== asked) return;
  ui.list.set(said.notes, !said.more);
  ui.total = said.total;
  drawCount(ui);
}
/* By name each page follows the last name of the one before; the newest are counted. */
async function more(ui) {
  const asked = ui.asked, ask = question(ui), rows = ui.list.state.rows;
  try {
    const said = await ui.page.get('note/list', ask.recent ? { ...ask, offset: rows.length } : { ...ask, after: rows.at(-1).stream });
    if (ui.asked !== asked) return;
    ui.list.add(said.notes, !said.more || !said.notes.length);
    drawCount(ui);
  } catch (e) { if (e.name !== 'AbortError') { ui.list.state.all = true; drawCount(ui); } }
}
function drawCount(ui) {
  const rows = ui.list.state.rows.length, p = ui.page.params;
  ui.count.textContent = `${number(ui.total ?? rows)}${ui.list.state.all || ui.total ? '' : ' and more'} ${rows === 1 ? ui.words.one : `${ui.words.one}s`}`;
  if (!rows && p.filter) fill(ui.count, `Nothing is called like “${named(p.filter)}”. `, h('a', { href: link(['search'], { q: p.filter }) }, 'Search the texts'));
  if (!rows && !p.filter) ui.count.textContent = past() ? 'None then.' : ui.words.none;
}
function row(ui, doc) {
  const name = nameOf(doc), chosen = ui.page.parts[0] === name, p = ui.page.params;
  const first = /^\s*[[{]?$/.test(doc.first ?? '') ? doc.meta?.type : doc.first; /* the bracket that begins JSON says nothing */
  return h('a', { href: link([ui.kind, name], { filter: p.filter, order: p.order, deleted: p.deleted }), 'data-row': true, 'aria-current': chosen ? 'true' : null },
    h('span', { class: 'name' }, named(name)), h('small', null, doc.at ? ago(doc.at) : 'edited'),
    h('small', null, drafts.has(doc.stream) ? 'unsaved text · ' : '', doc.deleted ? 'deleted' : named(first ?? (doc.by === 'outside' ? 'edited by hand' : doc.by) ?? '')), h('small', null, first ? named(doc.by === 'outside' ? 'by hand' : doc.by) : ''));
}
let drafts = new Set();
function revealChosen(ui) {
  const n = ui.list.state.rows.findIndex(d => nameOf(d) === ui.page.parts[0]);
  if (n >= 0) ui.list.reveal(n);
}

/* --- What is chosen --------------------------------------------------------------------------- */

async function drawChosen(ui) {
  const { page } = ui, name = page.parts[0];
  drafts = new Set(draftNames(page));
  ui.pair.classList.toggle('chosen', name !== undefined || page.params.new === '1');
  if (name !== ui.shownName || (page.params.new === '1') !== Boolean(ui.shownNew)) ui.list.redraw();
  if (name !== undefined && ui.document?.name === name) { await ui.document.update(page.params); page.title(name); return; }
  ui.document?.close();
  ui.document = null;
  ui.shownName = name;
  ui.shownNew = page.params.new === '1';
  if (ui.shownNew) { fill(ui.detail, newNote(page)); page.title('New note'); page.root.querySelector('.detail input')?.focus(); return; }
  if (name === undefined) { fill(ui.detail, nothing(ui)); page.title(ui.words.title); return; }
  page.title(name);
  const asked = name;
  try {
    const document = await openDocument(page, keyOf(ui.kind, name), name);
    if (ui.shownName !== asked) return document.close();
    ui.document = document;
    fill(ui.detail, document.node);
  } catch (e) {
    if (e.name === 'AbortError') return;
    fill(ui.detail, h('section', { class: 'panel' }, failure(e)));
  }
}
function nothing(ui) {
  if (ui.list.state.rows.length || ui.page.params.filter) return h('section', { class: 'panel' }, empty(`Choose a ${ui.words.one} from the list.`, [keyHint('j'), keyHint('k'), ' move, ', keyHint('Enter'), ' opens, ', keyHint('f'), ' filters.']));
  return h('section', { class: 'panel' }, empty(past() ? `There was no ${ui.words.one} then.` : ui.words.none, past() ? 'Go back to now, or to another moment.' : [ui.words.next[0]], past() ? null : command(ui.words.next[1])));
}
const keyHint = k => h('kbd', null, k);
