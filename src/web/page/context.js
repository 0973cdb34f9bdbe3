/* context.js - what a model would be shown now: the exact text, what it is made of against a budget
 * that can be dragged, what was left out and why; notes can be pinned and unpinned from here. */
import { h, fill, choose, say, later, number, many, named, shown, to, tag, empty, command } from './base.js';
import { sentence, readOnly, past } from './app.js';

const WORDS = { context: 'frame', end: 'frame', rule: 'rules', rules: 'rules', note: 'notes', notes: 'index of notes', query: 'question', state: 'state', evidence: 'found', found: 'found', hits: 'found', also: 'what else there is', sessions: 'sessions', cut: 'cut here', open: 'what is open', run: 'run', result: 'results', results: 'results', plan: 'plan', calls: 'open calls', usage: 'use of tools', omitted: 'left out', 'left-out': 'left out', counts: 'counts' };

/* The parts of a context, which together are the whole text: bytes, not characters, say where each is. */
export function partsOf(said) {
  const bytes = new TextEncoder().encode(said.text), decoder = new TextDecoder();
  return said.parts.map(p => ({ word: p.what, key: /^(note|rule)$/.test(p.what) ? p.name ?? undefined : undefined, tokens: p.tokens, rule: p.what === 'rule', text: decoder.decode(bytes.subarray(p.at, p.at + p.bytes)) }));
}

export async function view(page) {
  page.title('Context');
  const ui = { page };
  const budget = Number(page.params.budget) || 8000;
  ui.range = h('input', { type: 'range', min: '0', max: '1000', value: String(toSlider(budget)), 'aria-label': 'Budget in tokens' });
  ui.budget = h('input', { type: 'number', min: '100', max: '1000000', step: '100', value: String(budget), 'aria-label': 'Budget in tokens, as a number' });
  ui.query = h('input', { type: 'search', placeholder: 'no question', 'aria-label': 'Question', value: page.params.q ?? '', autocomplete: 'off' });
  ui.agent = h('input', { placeholder: 'default', 'aria-label': 'Agent', value: page.params.agent ?? '', autocomplete: 'off' });
  ui.sum = h('div', { role: 'status' });
  ui.bar = h('div', { class: 'stackbar', role: 'img' });
  ui.parts = h('section', { class: 'panel', 'aria-label': 'Parts' });
  ui.text = h('section', { class: 'panel' });
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Context'), h('p', { class: 'muted' }, 'What jotter context, or a hook of a client, would show a model now.')),
    past() ? h('p', { class: 'warning' }, 'A context is made of the present: this is what a model would be shown now.') : null,
    h('section', { class: 'panel controls', 'aria-label': 'Question and budget' }, h('label', null, 'Budget', ui.range), ui.budget, h('label', null, 'Question', ui.query), h('label', null, 'State of agent', ui.agent)),
    ui.bar, ui.sum, h('div', { class: 'contextgrid' }, ui.parts, ui.text));
  const ask = later(() => choose({ budget: ui.budget.value, q: ui.query.value.trim(), agent: ui.agent.value.trim() }), 120);
  ui.range.addEventListener('input', () => { ui.budget.value = fromSlider(Number(ui.range.value)); drawBar(ui, Number(ui.budget.value)); ask(); });
  ui.budget.addEventListener('input', () => { ui.range.value = toSlider(Number(ui.budget.value)); ask(); });
  ui.query.addEventListener('input', ask);
  ui.agent.addEventListener('input', ask);
  page.onchange(later(() => load(ui), 400));
  await load(ui);
  return { update: () => load(ui) };
}
/* The slider goes from 100 to 64,000 in steps that grow. */
const fromSlider = n => Math.round(100 * 640 ** (n / 1000) / 50) * 50 || 100;
const toSlider = b => Math.round(Math.log(Math.max(100, b) / 100) / Math.log(640) * 1000);

async function load(ui) {
  const p = ui.page.params, mine = ui.asking = {};
  try {
    const said = await ui.page.get('pad/context', { budget: p.budget || 8000, query: p.q, agent: p.agent });
    if (ui.asking !== mine) return;
    ui.said = said;
    ui.made = partsOf(said);
    draw(ui);
  } catch (e) {
    if (e.name === 'AbortError' || ui.asking !== mine) return;
    fill(ui.sum, h('p', { class: 'warning' }, sentence(e.message)));
  }
}
function groups(ui) {
  const sums = new Map();
  for (const p of ui.made) { const w = p.word === 'note' && /^(pinned-|persistent-rules$)/.test(p.key ?? '') ? 'pinned notes' : WORDS[p.word] ?? p.word; sums.set(w, (sums.get(w) ?? 0) + p.tokens); }
  const all = [...sums].filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const rest = all.slice(5).reduce((n, g) => n + g[1], 0);
  return rest ? [...all.slice(0, 5), ['other', rest]] : all;
}
function drawBar(ui, budget) {
  if (!ui.made) return;
  const all = groups(ui), scale = Math.max(budget, ui.said.tokens);
  fill(ui.bar, all.map(([word, n], i) => h('span', { class: `f${i + 1}`, style: { '--part': n / scale }, title: `${word}: ${number(n)} tokens` })));
  ui.bar.setAttribute('aria-label', `${number(ui.said.tokens)} of ${number(budget)} tokens: ${all.map(([w, n]) => `${w} ${n}`).join(', ')}`);
}
function draw(ui) {
  const { said } = ui, budget = Number(ui.page.params.budget) || said.budget;
  drawBar(ui, budget);
  fill(ui.sum, h('ul', { class: 'legend' }, groups(ui).map(([word, n], i) => h('li', null, h('i', { class: `f${i + 1}` }), `${word} ${number(n)}`))),
    h('p', { class: 'muted' }, `${number(said.tokens)} of ${number(said.budget)} tokens are used. `, said.not_approved ? `${many(said.not_approved, 'note')} would instruct a model if you approved it.` : ''));
  const left = said.left_out ?? [];
  fill(ui.parts, h('h2', null, 'What is in it'), h('ul', { class: 'open' }, ui.made.filter(p => p.word !== 'end').map((p, i) => h('li', { class: 'row' }, tag(WORDS[p.word] ?? p.word, p.rule ? 'rule' : ''), p.key ? to(`notes/${p.key}`, p.key) : h('a', { href: '#', onclick: e => { e.preventDefault(); jump(ui, i); } }, 'show'), h('span', { class: 'muted num push' }, `${number(p.tokens)}`), p.key ? pinButton(ui, p.key) : null))),
    h('h2', null, 'What was left out'), left.length ? h('ul', { class: 'open' }, left.map(l => h('li', null, h('div', { class: 'row' }, h('span', null, named(l.what)), l.name ? (l.what === 'note' ? to(`notes/${l.name}`, l.name) : h('b', null, named(l.name))) : null, l.count > 1 ? h('span', { class: 'muted' }, `×${number(l.count)}`) : null), h('p', { class: 'about' }, named(l.why ?? '')), l.get ? command(l.get) : null))) : h('p', { class: 'pad-in muted' }, 'Nothing: all of it fits.'));
  fill(ui.text, h('h2', null, 'The exact text'), ui.made.length ? h('div', { class: 'exact', tabindex: '0', role: 'region', 'aria-label': 'The exact text' }, ui.made.map((p, i) => h('div', { class: `text mono part-${p.rule ? 'rule' : 'other'}`, 'data-part': i }, shown(p.text)))) : empty('The pad is empty.', 'A model would be shown nothing.'));
}
function jump(ui, i) { ui.text.querySelector(`[data-part="${i}"]`)?.scrollIntoView({ block: 'center' }); }
function pinButton(ui, key) {
  if (readOnly() || key === 'persistent-rules') return null;
  const pinned = key.startsWith('pinned-'), next = pinned ? key.slice(7) : `pinned-${key}`;
  return h('button', { type: 'button', class: 'quiet', 'aria-label': `${pinned ? 'Unpin' : 'Pin'} ${key}`, onclick: async () => {
    try { await ui.page.post('note/move', { key, to: next }); say(pinned ? `Unpinned: it is called ${next} now` : `Pinned: it is called ${next} now`); load(ui); } catch (e) { say(sentence(e.message)); }
  } }, pinned ? 'Unpin' : 'Pin');
}
