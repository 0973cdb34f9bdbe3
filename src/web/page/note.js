/* note.js - one document: rendered, as text, through its versions, with who wrote what, and edited.
 *
 * An edit knows the version it began with and is written only if that is still the newest.  If not,
 * both texts and their merge are shown and a person decides; nothing is overwritten.  What is typed
 * is kept in the browser with every key and outlives reload, restart and conflict. */
import { h, fill, go, choose, link, kept, later, time, author, named, shown, plain, say, size, number, many, moment, tag, command, shellWord, Refusal, when, first, key as keycap } from './base.js';
import { failure, readOnly, dialog, sentence } from './app.js';
import { diffTable, blameTable } from './diff.js';

const SHOW_MAX = 100000;  /* characters shown at first */
const PAGE_MAX = 300000;  /* bytes up to which Markdown is rendered */
const EDIT_MAX = 1000000; /* bytes that a field can bear */
const VERSIONS = 500;     /* versions the slider has */

/* --- Drafts ----------------------------------------------------------------------------------- */

const padOf = page => page.pad ?? first.pad ?? '';
const draftName = (page, stream) => `draft.${padOf(page)}.${stream}`;
export const draftNames = page => kept.names(`draft.${padOf(page)}.`).map(n => n.split('.').slice(2).join('.'));
const streamOf = key => /^(memories|artifacts|cycles|notes)\//.test(key) ? key : `notes/${key}`;

/* --- Texts ------------------------------------------------------------------------------------ */

/* A long text begins short: the rest comes when it is asked for, a piece at a time. */
export function textNode(text, label = 'Text') {
  const box = h('div', { class: 'text mono', role: 'group', 'aria-label': label, translate: 'no' });
  let upto = 0;
  const more = h('button', { type: 'button', onclick: () => grow(SHOW_MAX * 5) });
  const grow = n => {
    const next = Math.min(text.length, upto + n);
    box.append(shown(text.slice(upto, next)));
    upto = next;
    if (upto >= text.length) more.remove();
    else more.textContent = `Show more: ${number(upto)} of ${number(text.length)} characters are shown`;
  };
  grow(SHOW_MAX);
  return upto < text.length ? [box, h('p', null, more)] : box;
}

/* The server's Markdown.  It has made it safe; still it is parsed apart from the document, and only
 * elements and attributes of this list are copied. */
const ALLOWED = new Set('P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE CODE EM STRONG DEL A HR BR TABLE THEAD TBODY TR TH TD INPUT DIV SPAN SUP SECTION'.split(' '));
export function markdown(html) {
  const source = new DOMParser().parseFromString(html, 'text/html').body;
  const out = h('div', { class: 'md' });
  copyInto(out, source);
  return out;
}
function copyInto(target, source) {
  for (const node of source.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) target.append(shown(node.data));
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    if (!ALLOWED.has(node.tagName)) { if (!/^(SCRIPT|STYLE|TEMPLATE|IFRAME|OBJECT|SVG|MATH)$/i.test(node.tagName)) copyInto(target, node); continue; }
    if (node.tagName === 'INPUT') { target.append(h('input', { type: 'checkbox', disabled: true, checked: node.hasAttribute('checked'), 'aria-label': 'item of a list' })); continue; }
    /* A note's headings stand below the page's own. */
    const level = /^H([1-6])$/.exec(node.tagName);
    const copy = document.createElement(node.tagName);
    if (level) copy.setAttribute('aria-level', Math.min(6, Number(level[1]) + 1));
    if (node.tagName === 'A' && /^(https?:|mailto:)/i.test(node.getAttribute('href') ?? '')) {
      copy.setAttribute('href', node.getAttribute('href'));
      copy.setAttribute('rel', 'noopener noreferrer nofollow');
      copy.setAttribute('target', '_blank');
    }
    if (/^T[HD]$/.test(node.tagName) && /^(right|center)$/.test(node.getAttribute('align') ?? '')) copy.className = `a-${node.getAttribute('align')}`;
    if (node.tagName === 'OL' && /^\d{1,9}$/.test(node.getAttribute('start') ?? '')) copy.setAttribute('start', node.getAttribute('start'));
    copyInto(copy, node);
    if (node.tagName === 'LI' && copy.querySelector(':scope > input, :scope > p:first-child > input')) copy.className = 'check';
    if (node.tagName === 'TABLE' || node.tagName === 'PRE') copy.tabIndex = 0;
    target.append(copy);
  }
}

/* JSON with its parts in colour; null if it is none, or too long to be worth it. */
export function jsonNode(text) {
  if (text.length > PAGE_MAX) return null;
  let value;
  try { value = JSON.parse(text); } catch { return null; }
  if (value === null || typeof value !== 'object') return null;
  const box = h('div', { class: 'text mono json', role: 'group', 'aria-label': 'JSON' }), laid = JSON.stringify(value, null, 2);
  let from = 0;
  for (const m of laid.matchAll(/("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    box.append(laid.slice(from, m.index), h('span', { class: m[2] ? 'k' : m[1] ? 's' : 'n' }, shown(m[1] ?? m[0])), m[2] ?? '');
    from = m.index + m[0].length;
  }
  box.append(laid.slice(from));
  return box;
}

/* --- A document ------------------------------------------------------------------------------- */

const SHOWS = [['', 'Page'], ['text', 'Text'], ['diff', 'Changes'], ['side', 'Side by side'], ['blame', 'Blame']];

export async function openDocument(page, key, name) {
  const ui = { page, key, name, stream: streamOf(key), node: h('article', { class: 'panel doc', 'aria-label': named(name) }), params: page.params };
  ui.close = () => { ui.closed = true; ui.leaveEdit?.(); };
  ui.update = async params => {
    const before = ui.params;
    ui.params = params;
    if (before.v !== params.v || before.show !== params.show || before.edit !== params.edit || before.against !== params.against) await draw(ui);
  };
  ui.changed = when(s => s === ui.stream, later(() => changedBelow(ui), 120));
  await loadVersions(ui);
  await draw(ui);
  page.keys(keysOf(ui));
  return ui;
}

async function loadVersions(ui) {
  const said = await ui.page.get('note/history', { key: ui.key, limit: VERSIONS });
  ui.versions = said.versions.slice().reverse();
  ui.older = said.more;
  ui.damaged = said.damaged;
  if (!ui.versions.length) throw new Refusal('not_found', ui.page.at ? `${ui.name} was not there at ${moment(ui.page.at)}` : `${ui.name} is not there`);
}
/* The version that is looked at: the one in the address, else the newest. */
function chosen(ui) {
  const want = ui.params.v;
  const n = want === undefined ? ui.versions.length - 1 : ui.versions.findIndex(v => String(v.seq) === want || v.version?.startsWith(want));
  return n < 0 ? ui.versions.length - 1 : n;
}
const newest = ui => ui.versions.at(-1);
const versionWord = v => v.seq ? String(v.seq) : 'now';

async function draw(ui) {
  const mine = ui.drawing = {};
  if (ui.params.edit === '1' && !readOnly()) {
    try { return await drawEditor(ui); } catch (e) { if (e.name !== 'AbortError') { say(sentence(e.message)); closeEditor(ui); } return; }
  }
  ui.leaveEdit?.();
  const n = chosen(ui), mark = ui.versions[n], show = ui.params.show ?? '';
  let body, doc = mark;
  try {
    if (show === 'diff' || show === 'side') body = await changes(ui, n, show);
    else if (mark.deleted || mark.op === 'delete') body = deletedBody(ui, n);
    else if (mark.redacted) body = h('p', { class: 'muted' }, 'The text of this version was redacted: it is gone for good.');
    else if (show === 'blame') body = await blame(ui);
    else {
      doc = await ui.page.get('note/read', { key: ui.key, version: versionWord(mark) });
      body = await textOf(ui, doc, mark, show);
    }
  } catch (e) {
    if (e.name === 'AbortError') return;
    body = failure(e);
  }
  if (ui.drawing !== mine || ui.closed) return;
  fill(ui.node, headOf(ui, n), metaOf(ui, mark, doc), bannerOf(ui, n), actionsOf(ui, n, show), sliderOf(ui, n), h('div', { class: 'body' }, body));
}

async function textOf(ui, doc, mark, show) {
  const text = doc.text !== undefined ? plain(doc.text) : doc.body_base64 !== undefined ? atob(doc.body_base64) : '';
  ui.text = text;
  if (doc.text === undefined && doc.body_base64 !== undefined) return [h('p', { class: 'warning' }, 'This text is not UTF-8: it is shown byte by byte and can be edited only in an editor.'), textNode(text)];
  if (!text) return h('p', { class: 'muted' }, 'This version is empty.');
  if (show === 'text') return textNode(text);
  const json = ui.stream.startsWith('artifacts/') ? jsonNode(text) : null;
  if (json) return json;
  if (doc.bytes > PAGE_MAX) return [h('p', { class: 'muted' }, `${size(doc.bytes)}: too long to be laid out as a page, so it is shown as text.`), textNode(text)];
  const said = await ui.page.get('note/render', { key: ui.key, version: versionWord(mark) });
  if (said.html === null || said.html === undefined) return [said.why ? h('p', { class: 'muted' }, sentence(said.why)) : null, textNode(text)];
  return markdown(said.html);
}
async function changes(ui, n, show) {
  const against = ui.params.against === 'now' ? ui.versions.length - 1 : n - 1;
  const picker = h('p', { class: 'row muted' }, h('span', { class: 'group' },
    [['', 'with the version before'], ['now', 'with the newest']].map(([v, word]) => h('button', { type: 'button', 'aria-pressed': String((ui.params.against ?? '') === v), onclick: () => choose({ against: v }) }, word))));
  if (against === n) return [picker, h('p', { class: 'muted' }, 'This is the newest version. Move the slider to compare an older one with it.')];
  const isFirst = against < 0;
  const [from, to] = isFirst ? [n, n] : against < n ? [against, n] : [n, against];
  if (isFirst) {
    const doc = await ui.page.get('note/read', { key: ui.key, version: versionWord(ui.versions[n]) });
    const lines = plain(doc.text).split('\n');
    if (lines.at(-1) === '') lines.pop();
    return [picker, h('p', { class: 'muted' }, 'The first version: every line is new.'), diffTable(`@@ -0,0 +1 @@\n${lines.slice(0, 20000).map(l => '+' + l).join('\n')}`, show === 'side' ? 'side' : 'inline')];
  }
  const said = await ui.page.get('note/diff', { key: ui.key, from: versionWord(ui.versions[from]), to: versionWord(ui.versions[to]) });
  return [picker, h('p', { class: 'muted' }, `${many(said.added, 'line')} added, ${number(said.removed)} removed, from version ${versionWord(ui.versions[from])} to ${versionWord(ui.versions[to])}.`),
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Changes' }, diffTable(said.diff, show === 'side' ? 'side' : 'inline'))];
}
async function blame(ui) {
  const said = await ui.page.get('note/blame', { key: ui.key });
  return [ui.params.v !== undefined && ui.params.v !== versionWord(newest(ui)) ? h('p', { class: 'muted' }, 'Blame is of the newest version.') : null, said.cut ? h('p', { class: 'muted' }, 'Some lines may be older than shown.') : null,
    h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Blame' }, blameTable(said.lines, ui.page.name === 'notes' ? ['notes', ui.name] : [ui.page.name, ui.name]))];
}
function deletedBody(ui, n) {
  const before = ui.versions.slice(0, n).reverse().find(v => !v.deleted && v.op !== 'delete' && !v.redacted);
  return h('div', { class: 'empty' }, h('p', { class: 'lead' }, before || n > 0 ? 'It was deleted here.' : 'It was purged: nothing of it is left.'),
    before ? h('p', null, 'Its last text is ', h('a', { href: link([ui.page.name, ui.name], { v: versionWord(before) }) }, `version ${versionWord(before)}`), '.') : null,
    before && !readOnly() ? h('p', null, h('button', { type: 'button', class: 'main', onclick: () => restore(ui, before) }, 'Restore it')) : null);
}

/* --- What stands above the text --------------------------------------------------------------- */

function headOf(ui) {
  return h('div', { class: 'head' }, h('a', { class: 'button back', href: link([ui.page.name]) }, '‹ All'), h('h2', { class: 'title' }, named(ui.name)),
    /^(persistent-rules$|pinned-)/.test(ui.name) && ui.page.name === 'notes' ? tag('shown first to models', 'rule') : null);
}
function metaOf(ui, mark, doc) {
  return h('div', { class: 'meta' }, author(mark.by), time(mark.at), h('span', null, size(mark.bytes ?? 0), doc.chars !== undefined && doc.chars !== mark.bytes ? `, ${many(doc.chars, 'character')}` : ''),
    mark.version ? h('code', { title: 'version' }, mark.version) : null,
    Object.entries(mark.meta ?? {}).map(([k, v]) => h('span', null, `${named(k)}: ${named(typeof v === 'string' ? v : JSON.stringify(v))}`)));
}
function bannerOf(ui, n) {
  const out = [], draft = kept.get(draftName(ui.page, ui.stream));
  if (draft && !readOnly()) out.push(h('div', { class: 'warning row' }, h('span', null, 'There is a text of yours that was not saved, from ', time(draft.at), '.'), h('button', { type: 'button', onclick: () => choose({ edit: '1' }, {}) }, 'Continue with it'), h('button', { type: 'button', class: 'quiet', onclick: () => dropDraft(ui) }, 'Discard it')));
  if (n < ui.versions.length - 1) out.push(h('div', { class: 'warning row' }, h('span', null, `This is version ${versionWord(ui.versions[n])} of ${number(ui.versions.length)}, not the newest.`),
    h('a', { href: link([ui.page.name, ui.name], { show: ui.params.show }) }, 'The newest'), !readOnly() && !ui.versions[n].deleted && ui.versions[n].op !== 'delete' ? h('button', { type: 'button', onclick: () => restore(ui, ui.versions[n]) }, 'Restore this version') : null));
  if (ui.damaged) out.push(h('p', { class: 'warning bad' }, `${many(ui.damaged, 'record')} of its history cannot be read.`));
  return out;
}
function dropDraft(ui) {
  const was = kept.get(draftName(ui.page, ui.stream));
  kept.drop(draftName(ui.page, ui.stream));
  say('Discarded', h('button', { type: 'button', onclick: () => { kept.set(draftName(ui.page, ui.stream), was); draw(ui); } }, 'Undo'));
  draw(ui);
}
function actionsOf(ui, n, show) {
  const last = n === ui.versions.length - 1, gone = newest(ui).deleted || newest(ui).op === 'delete';
  return h('div', { class: 'actions' },
    h('span', { class: 'group', role: 'group', 'aria-label': 'Show as' }, SHOWS.map(([v, word]) => h('button', { type: 'button', 'aria-pressed': String(show === v), onclick: () => choose({ show: v }) }, word))),
    readOnly() ? null : h('span', { class: 'deeds push' },
      last && !gone ? h('button', { type: 'button', onclick: () => edit(ui), 'aria-keyshortcuts': 'e' }, 'Edit') : null,
      ui.versions.length > 1 || !gone ? h('button', { type: 'button', class: 'quiet', onclick: () => undo(ui), 'aria-keyshortcuts': 'u' }, 'Undo') : null,
      gone ? null : h('button', { type: 'button', class: 'quiet', onclick: () => remove(ui) }, 'Delete'),
      h('button', { type: 'button', class: 'quiet bad', onclick: () => redact(ui.page, ui.key, () => loadVersions(ui).then(() => draw(ui))) }, 'Redact …'),
      h('button', { type: 'button', class: 'quiet bad', onclick: () => purge(ui) }, 'Purge …')));
}
function sliderOf(ui, n) {
  const count = ui.versions.length, mark = ui.versions[n];
  const words = h('output', null, `version ${n + 1} of ${number(count)}${ui.older ? '+' : ''}`);
  const slide = h('input', { type: 'range', min: '0', max: String(count - 1), value: String(n), 'aria-label': 'Version', disabled: count < 2,
    'aria-valuetext': `version ${n + 1} of ${count}, by ${named(mark.by)}, ${mark.at ? moment(mark.at) : 'now'}` });
  const pick = later(() => { const at = Number(slide.value); choose({ v: at === count - 1 ? null : versionWord(ui.versions[at]) }); ui.node.querySelector('input[type=range]')?.focus(); }, 60);
  slide.addEventListener('input', () => { words.textContent = `version ${Number(slide.value) + 1} of ${number(count)}${ui.older ? '+' : ''}`; pick(); });
  return h('div', { class: 'time' }, h('button', { type: 'button', class: 'quiet', disabled: n === 0, 'aria-label': 'Older version', onclick: () => step(ui, -1) }, '‹'), slide,
    h('span', { class: 'row' }, words, h('button', { type: 'button', class: 'quiet', disabled: n === count - 1, 'aria-label': 'Newer version', onclick: () => step(ui, 1) }, '›')));
}
function step(ui, by) {
  const n = Math.max(0, Math.min(ui.versions.length - 1, chosen(ui) + by));
  choose({ v: n === ui.versions.length - 1 ? null : versionWord(ui.versions[n]) });
}
function keysOf(ui) {
  const show = v => () => choose({ show: (ui.params.show ?? '') === v ? '' : v });
  return {
    e: { says: 'edit', does: () => edit(ui) }, d: { says: 'what changed', does: show('diff') }, s: { says: 'side by side', does: show('side') }, b: { says: 'who wrote what', does: show('blame') }, t: { says: 'as text', does: show('text') },
    '[': { says: 'older version', does: () => step(ui, -1) }, ']': { says: 'newer version', does: () => step(ui, 1) }, u: { says: 'undo the last change', does: () => { if (!readOnly()) undo(ui); } },
    Esc: { says: 'back to the list', does: () => { if (ui.params.edit === '1') closeEditor(ui); else go([ui.page.name], { filter: ui.params.filter, order: ui.params.order }); } },
  };
}

/* --- Changing it ------------------------------------------------------------------------------ */

async function change(ui, path, body, done, ...more) {
  try {
    const said = await ui.page.post(path, { key: ui.key, if_version: newest(ui).version, ...body });
    say(done, ...more);
    await loadVersions(ui);
    choose({ v: null, edit: null });
    await draw(ui);
    return said;
  } catch (e) {
    say(e.status === 'conflict' ? 'Somebody wrote it meanwhile: nothing was changed. Look at the newest version first.' : sentence(e.message));
    if (e.status === 'conflict') { await loadVersions(ui); await draw(ui); }
    return null;
  }
}
const again = (ui, path, word) => h('button', { type: 'button', onclick: () => change(ui, path, {}, 'Done') }, word);
const undo = ui => change(ui, 'note/undo', {}, 'The last change was taken back, as a new version', again(ui, 'note/redo', 'Redo'));
const remove = ui => change(ui, 'note/delete', {}, 'Deleted; its versions stay', again(ui, 'note/undo', 'Undo'));
const restore = (ui, mark) => change(ui, 'note/restore', { version: versionWord(mark) }, `It is as it was in version ${versionWord(mark)}`, again(ui, 'note/undo', 'Undo'));
function purge(ui) {
  const field = h('input', { id: 'again', autocomplete: 'off', required: true });
  const box = dialog('Purge', [h('p', null, `This removes ${named(ui.name)} and all its versions. There is no way back.`),
    h('form', { method: 'dialog', onsubmit: async e => {
      e.preventDefault();
      try { await ui.page.post('note/purge', { key: ui.key, again: field.value }); box.close(); say('Purged'); go([ui.page.name], {}); } catch (err) { say(sentence(err.message)); }
    } }, h('label', { for: 'again' }, 'Type its whole key again: ', h('code', null, named(ui.key))), field, h('p', { class: 'row' }, h('button', { class: 'bad' }, 'Purge it')))]);
}
/* Take a text out of all versions of a document: of a secret an edit would leave the older ones. */
export function redact(page, key, done) {
  const field = h('textarea', { id: 'secret', rows: '3', required: true, spellcheck: 'false', autocomplete: 'off' }), typed = h('input', { id: 'again', autocomplete: 'off', required: true });
  const box = dialog('Redact', [h('p', null, `This takes a text out of every version of ${named(key)}; a mark stands in its place. There is no way back.`),
    h('form', { method: 'dialog', onsubmit: async e => {
      e.preventDefault();
      try {
        const said = await page.post('note/redact', { key, text: field.value, again: typed.value });
        box.close();
        say(`Redacted: ${many(said.redacted, 'version')} had it`);
        done();
      } catch (err) { say(sentence(err.message)); }
    } }, h('label', { for: 'secret' }, 'The text to take out, as it stands there'), field, h('label', { for: 'again' }, 'Type the whole key again: ', h('code', null, named(key))), typed, h('p', { class: 'row' }, h('button', { class: 'bad' }, 'Redact it')))]);
  field.focus();
}
async function changedBelow(ui) {
  if (ui.closed) return;
  try { await loadVersions(ui); } catch { return; }
  if (ui.params.edit === '1') ui.newer?.();
  else if (ui.params.v === undefined) await draw(ui);
}

/* --- The editor ------------------------------------------------------------------------------- */

function edit(ui) {
  if (readOnly()) return say('Nothing can be written here');
  if (ui.params.edit !== '1') choose({ edit: '1', v: null, show: null }, {});
}
function closeEditor(ui) { choose({ edit: null }, { replace: true }); }

async function drawEditor(ui) {
  if (ui.editor) return;
  const draft = kept.get(draftName(ui.page, ui.stream)), doc = await ui.page.get('note/read', { key: ui.key });
  if (doc.text === undefined) { say('It is not UTF-8 and can be edited only in an editor'); return closeEditor(ui); }
  if (doc.bytes > EDIT_MAX && !draft) { fill(ui.node, headOf(ui), h('div', { class: 'empty' }, h('p', { class: 'lead' }, `${size(doc.bytes)} are too much for a field in a browser.`), h('p', null, command(`jotter edit ${shellWord(ui.key)}`)), h('p', null, h('button', { type: 'button', onclick: () => closeEditor(ui) }, 'Back')))); return; }
  const state = { text: draft?.text ?? plain(doc.text), version: draft?.version ?? doc.version, from: plain(doc.text) };
  const area = h('textarea', { 'aria-label': `Text of ${named(ui.name)}`, spellcheck: 'false', value: state.text });
  const status = h('span', { class: 'muted', role: 'status' });
  const keep = () => {
    if (area.value === state.from && state.version === doc.version) { kept.drop(draftName(ui.page, ui.stream)); status.textContent = 'Nothing changed yet.'; return; }
    const ok = kept.set(draftName(ui.page, ui.stream), { text: area.value, version: state.version, at: new Date().toISOString() });
    status.textContent = ok ? `${many(area.value.length, 'character')}, kept in this browser.` : 'This browser keeps nothing: save before you leave.';
  };
  area.addEventListener('input', keep);
  const save = () => saveText(ui, state, area.value);
  area.addEventListener('keydown', e => { if ((e.ctrlKey || e.metaKey) && (e.key === 's' || e.key === 'Enter')) { e.preventDefault(); save(); } });
  const newer = h('p', { class: 'warning', hidden: true });
  ui.newer = () => {
    if (newest(ui).version === state.version) return;
    newer.hidden = false;
    fill(newer, `Written by ${named(newest(ui).by)} meanwhile (version ${named(newest(ui).version ?? 'deleted')}). Saving shows both texts; nothing is overwritten.`);
  };
  ui.editor = area;
  ui.leaveEdit = () => { ui.editor = null; ui.newer = null; ui.leaveEdit = null; };
  ui.conflictPlace = h('div');
  fill(ui.node, headOf(ui), h('div', { class: 'editing' }, draft ? h('p', { class: 'muted' }, 'This is your text from ', time(draft.at), ', which was not saved.') : null, newer, area,
    h('p', { class: 'row' }, h('button', { type: 'button', class: 'main', onclick: save }, 'Save ', keycap('Ctrl S')), h('button', { type: 'button', onclick: () => closeEditor(ui) }, 'Close, keep the text'),
      h('button', { type: 'button', class: 'quiet', onclick: () => { kept.drop(draftName(ui.page, ui.stream)); closeEditor(ui); } }, 'Discard'), status), ui.conflictPlace));
  keep();
  ui.newer();
  area.focus({ preventScroll: true });
}

async function saveText(ui, state, text) {
  try {
    const said = await ui.page.post('note/write', { key: ui.key, text, if_version: state.version });
    kept.drop(draftName(ui.page, ui.stream));
    await loadVersions(ui);
    ui.leaveEdit?.();
    closeEditor(ui);
    say(said.warning ? sentence(said.warning) : 'Saved');
  } catch (e) {
    if (e.status === 'conflict') drawConflict(ui, state, text, e.data);
    else say(`Not saved: ${sentence(e.message)} Your text is kept in this browser.`);
  }
}

/* Both texts, and the merge if there is one: the person chooses what becomes the next version. */
function drawConflict(ui, state, mine, data) {
  const present = data.present, theirs = present ? plain(present.text) : '', merge = data.clean === false ? null : data.merge;
  const result = h('textarea', { 'aria-label': 'What will be saved', spellcheck: 'false', value: merge ?? mine });
  const put = async text => {
    if (present) state.version = present.version;
    kept.set(draftName(ui.page, ui.stream), { text, version: state.version, at: new Date().toISOString() });
    if (present) return saveText(ui, state, text);
    try { await ui.page.post('note/write', { key: ui.key, text, if_absent: true }); kept.drop(draftName(ui.page, ui.stream)); await loadVersions(ui); ui.leaveEdit?.(); closeEditor(ui); say('Saved'); } catch (e) { say(sentence(e.message)); }
  };
  const column = (title, text) => h('section', null, h('h3', null, title), h('pre', { class: 'text', tabindex: '0', 'aria-label': title }, shown(text.slice(0, SHOW_MAX))));
  fill(ui.conflictPlace, h('section', { class: 'conflict', 'aria-labelledby': 'conflict-title' },
    h('h2', { id: 'conflict-title', tabindex: '-1' }, present ? `${named(present.by === 'outside' ? 'Somebody, by hand,' : present.by)} wrote it meanwhile` : 'It was deleted meanwhile'),
    h('p', { class: 'muted' }, merge ? 'The two changes do not touch each other: below is their merge, which you can still edit. Nothing is saved yet.' : 'The two changes touch each other. Make of them what it should be; nothing is saved yet.'),
    h('div', { class: 'both' }, column(present ? `Theirs: version ${named(present.version)}` : 'Theirs: deleted', theirs), column('Yours', mine)),
    h('h3', null, merge ? 'The merge' : 'What to save'), result,
    h('p', { class: 'row' }, h('button', { type: 'button', class: 'main', onclick: () => put(result.value) }, merge ? 'Save the merge' : 'Save this'), h('button', { type: 'button', onclick: () => { result.value = mine; } }, 'Take yours'), h('button', { type: 'button', onclick: () => { result.value = theirs; } }, 'Take theirs'))));
  document.getElementById('conflict-title')?.focus();
  document.getElementById('conflict-title')?.scrollIntoView({ block: 'start' });
  result.addEventListener('input', () => kept.set(draftName(ui.page, ui.stream), { text: result.value, version: state.version, at: new Date().toISOString() }));
}

/* A note that is not there yet. */
export function newNote(page) {
  const draft = kept.get(draftName(page, 'new')) ?? {};
  const name = h('input', { id: 'new-key', required: true, autocomplete: 'off', spellcheck: 'false', value: draft.name ?? '' });
  const area = h('textarea', { id: 'new-text', spellcheck: 'false', value: draft.text ?? '' });
  const keep = () => kept.set(draftName(page, 'new'), { name: name.value, text: area.value });
  name.addEventListener('input', keep);
  area.addEventListener('input', keep);
  const save = async e => {
    e?.preventDefault();
    try {
      await page.post('note/write', { key: name.value.trim(), text: area.value, if_absent: true });
      kept.drop(draftName(page, 'new'));
      say('Saved');
      go(['notes', name.value.trim()], {});
    } catch (err) { say(err.status === 'conflict' ? `There is a note '${named(name.value.trim())}' already: nothing was written` : sentence(err.message)); }
  };
  area.addEventListener('keydown', e => { if ((e.ctrlKey || e.metaKey) && (e.key === 's' || e.key === 'Enter')) save(e); });
  return h('section', { class: 'panel doc' }, h('div', { class: 'head' }, h('a', { class: 'button back', href: link(['notes']) }, '‹ All'), h('h2', null, 'New note')),
    h('form', { class: 'editing', onsubmit: save }, h('label', { for: 'new-key' }, 'Key: letters and digits, blanks and _-.,+=@, in folders with /'), name, h('label', { for: 'new-text' }, 'Text'), area, h('p', { class: 'row' }, h('button', { class: 'main' }, 'Save ', keycap('Ctrl S')), h('a', { class: 'button', href: link(['notes']) }, 'Close, keep the text'))));
}
