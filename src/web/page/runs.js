/* runs.js - what agents did, step by step: the list of runs, the trace of one with a chart of its
 * context, the request it would send next, and two runs side by side.
 *
 * A run may have many thousand steps.  They come page by page; of each only the beginning of its
 * text is kept, and the rest is fetched when the step is opened. */
import { h, fill, link, go, choose, time, author, tag, named, shown, plain, number, many, short, size, lasting, moment, command, shellWord, copy, empty, later, when, say, key } from './base.js';
import { failure, sentence, past } from './app.js';
import { longList } from './list.js';
import { textNode, jsonNode } from './note.js';
import { stackedArea, timeline } from './chart.js';

const PAGE = 1000, PRINT_MAX = 1000;

/* What a record is, in the words of the page: [word, class of its mark, class in the timeline]. */
const KINDS = {
  init: ['question', 'answer', 'f6'], setup: ['setup', '', 'f6'], thinking: ['thought', 'thought', 'f2'], plan: ['plan', 'plan', 'f2'], reply: ['reply', 'thought', 'f2'],
  tool_call: ['call', 'call', 'f1'], tool_result: ['result', 'result', 'f3'], clear: ['mask', '', 'f6'], compact: ['summary', 'summary', 'f4'], answer: ['answer', 'answer', 'f3'],
  end: ['end', 'failed', 'f5'], notice: ['notice', '', 'f6'], drop: ['dropped', 'summary', 'f4'],
};
/* What the colours of the timeline say. */
const MARKS = [{ name: 'thought or reply', class: 'f2' }, { name: 'call', class: 'f1' }, { name: 'result or answer', class: 'f3' }, { name: 'summary', class: 'f4' }, { name: 'failure', class: 'f5' }, { name: 'other', class: 'f6' }];
const wordOf = kind => KINDS[kind]?.[0] ?? named(kind).replace(/_/g, ' ');

export async function view(page) {
  if (page.parts.length) return drawRun(page);
  return drawList(page);
}

/* --- The list --------------------------------------------------------------------------------- */

async function drawList(page) {
  page.title('Runs');
  const chosen = new Set();
  const compare = h('button', { type: 'button', disabled: true, onclick: () => { const [a, b] = chosen; go(['runs', a], { with: b }); } }, 'Compare the two');
  const body = h('tbody', { 'data-list': true }), more = h('p', { class: 'pad-in' });
  const panel = h('section', { class: 'panel scroll', 'aria-label': 'Runs' });
  let limit = 100;
  const load = async () => {
    const said = await page.get('run/list', { limit });
    const { runs } = said;
    if (!runs.length) { fill(panel, empty(past() ? 'There was no run then.' : 'No agent has run yet.', past() ? null : 'A run is what jotter run does, or what an agent records by the tools of runs:', past() ? null : command("jotter run 'what is in this pad?'"))); return; }
    fill(body, runs.map(r => h('tr', null,
      h('td', null, h('input', { type: 'checkbox', 'aria-label': `Compare ${named(r.query || r.id)}`, checked: chosen.has(r.id), onchange: e => { if (e.target.checked) chosen.add(r.id); else chosen.delete(r.id); compare.disabled = chosen.size !== 2; } })),
      h('td', null, h('a', { href: link(['runs', r.id]), 'data-row': true }, named(r.query || r.id)), r.query ? h('div', { class: 'muted mono small' }, named(r.id)) : null),
      h('td', { class: 'nowrap' }, tag({ open: 'not finished' }[r.state] ?? r.state, { answered: 'good', ended: 'bad' }[r.state] ?? 'warn')), h('td', { class: 'nowrap' }, author(r.by)), h('td', { class: 'num' }, number(r.records)), h('td', { class: 'nowrap' }, time(r.at)))));
    fill(more, said.older ? h('button', { type: 'button', onclick: () => { limit = Math.min(1000, limit * 3); load(); } }, `Show older: ${many(said.older, 'run')}`) : null);
    fill(panel, h('table', { class: 'runs' }, h('thead', null, h('tr', null, h('th', { scope: 'col' }, h('span', { class: 'unread' }, 'Compare')), h('th', { scope: 'col' }, 'Question'), h('th', { scope: 'col' }, 'State'), h('th', { scope: 'col' }, 'By'), h('th', { scope: 'col', class: 'num' }, 'Steps'), h('th', { scope: 'col' }, 'Last step'))), body), said.older ? more : null);
  };
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Runs'), h('span', { class: 'push' }, compare)), panel);
  await load();
  page.onchange(when(s => s.startsWith('runs/'), later(() => load().catch(() => {}), 400)));
}

/* --- One run ---------------------------------------------------------------------------------- */

/* The steps of a run, all of them, a page at a time; grow(run) after each. */
async function follow(page, id, run, grow) {
  while (await nextPage(page, id, run)) grow(run);
  await ending(page, id, run);
  grow(run);
}
/* Fetch the next steps; true if there are more behind them. */
async function nextPage(page, id, run) {
  const said = await page.get('run/timeline', { run: id, from_record: run.next || undefined, limit: PAGE });
  for (const step of said.steps) take(run, step);
  run.query = said.query ?? run.query;
  run.damaged = said.damaged;
  run.more = Boolean(said.next) && said.steps.length > 0;
  run.next = run.more ? said.next : (run.steps.at(-1)?.seq ?? 0) + 1; /* where what comes later begins */
  return run.more;
}
/* How it ended, in whole words; or which calls are open. */
async function ending(page, id, run) {
  if (run.more) return;
  const last = run.ended;
  if (last && last.text === undefined) last.text = plain((await page.get('run/read', { run: id, record: last.seq })).body);
  run.open = last ? [] : (await page.get('run/unfinished', { run: id })).open;
}
/* One record, with what the views need of it worked out. */
function take(run, step) {
  if (run.bySeq.has(step.seq)) return;
  const at = Date.parse(step.at), text = plain(step.text), usage = step.usage;
  const out = { ...step, at, from: at - (step.ms ?? 0), text: undefined, line: text };
  if (step.kind === 'reply') {
    out.tokens = usage ? usage.input + usage.cache_read + usage.cache_write + usage.output : step.tokens;
    run.tokens += usage ? out.tokens : 0;
  } else if (step.kind === 'tool_result') {
    out.handle = /^\[Result persisted as (tool_results\/[^\s\]]+)/.exec(text)?.[1];
    if (step.ok === false) run.errors++;
  } else if (step.kind === 'clear') out.line = `results ${step.from} to ${step.to} are shown as pointers from here on`;
  else if (step.kind === 'setup') out.line = /"model":"([^"]*)"/.exec(text)?.[1] ?? 'how the run was set up';
  out.from = step.kind === 'tool_result' || step.kind === 'reply' ? out.from : at;
  if (step.redacted) out.line = 'redacted';
  if (step.kind === 'answer' || step.kind === 'end') run.ended = { kind: step.kind, word: step.word, seq: step.seq };
  else if (step.kind !== 'notice') run.ended = null;
  run.steps.push(out);
  run.bySeq.set(out.seq, out);
}
const newRun = () => ({ steps: [], bySeq: new Map(), tokens: 0, errors: 0, next: 0, query: '', ended: null });

/* Which of the views of runs an address is. */
const modeOf = ({ parts, params }) => [parts[0], params.with, params.print === '1' ? 'print' : params.next === '1' ? 'next' : ''].filter(Boolean).join(' ');

async function drawRun(page) {
  const id = page.parts[0], run = newRun(), ui = { page, id, run, kinds: new Set() };
  await firstPage(page, id, run);
  if (page.params.with) return drawTwo(page, id, run);
  if (page.params.print === '1') return drawPrint(ui);
  if (page.params.next === '1') return drawNext(ui);
  page.title(run.query || id);
  ui.head = h('div', { class: 'runhead' });
  ui.charts = h('div', { class: 'stack' });
  ui.filters = h('div', { class: 'row filter-kinds', role: 'group', 'aria-label': 'Kinds of steps' });
  ui.list = longList({ label: 'Steps', render: s => stepRow(ui, s), more: async () => {} });
  ui.detail = h('div', { class: 'detail' });
  ui.pair = h('div', { class: 'pair trace' }, h('section', { class: 'panel list', 'aria-label': 'Steps' }, h('div', { class: 'filter' }, ui.filters), ui.list.node, ui.foot = h('div', { class: 'foot' })), ui.detail);
  fill(page.root, ui.head, ui.charts, ui.pair);
  drawAll(ui);
  await drawStep(ui);
  page.shown = () => { revealStep(ui); };
  const rest = later(() => follow(page, id, run, () => { if (run.more) drawSteps(ui); else drawAll(ui); }).catch(() => {}), 1);
  if (run.more) rest();
  page.onchange(when(s => s === `runs/${id}`, later(rest, 200)));
  page.keys({ Esc: { says: 'back to the runs', does: () => go(['runs'], {}) }, n: { says: 'what is asked next', does: () => { if (hasLoop(run)) go(['runs', id], { next: '1' }); } }, p: { says: 'print it', does: () => go(['runs', id], { print: '1' }) }, '[': { says: 'step before', does: () => nextStep(ui, -1) }, ']': { says: 'next step', does: () => nextStep(ui, 1) } });
  return { update: async p => { if (modeOf(p) !== id) return false; await drawStep(ui); ui.list.redraw(); } };
}
async function firstPage(page, id, run) {
  await nextPage(page, id, run);
  await ending(page, id, run);
}

function drawAll(ui) {
  drawHead(ui);
  drawCharts(ui);
  drawSteps(ui);
}
function drawSteps(ui) {
  drawFilters(ui);
  const steps = ui.kinds.size ? ui.run.steps.filter(s => ui.kinds.has(s.kind)) : ui.run.steps;
  ui.list.set(steps, true);
  ui.foot.textContent = ui.kinds.size ? `${number(steps.length)} of ${many(ui.run.steps.length, 'step')}` : many(ui.run.steps.length, 'step');
}
function stateOf(run) {
  if (run.ended?.kind === 'answer') return tag('answered', 'good');
  if (run.ended) return tag(`ended: ${run.ended.word ?? 'end'}`, 'bad');
  return tag('not finished', 'warn');
}
/* What `jotter run` began has a setup; what was recorded by other means asks no model. */
const hasLoop = run => run.steps.some(s => s.kind === 'setup');
/* One of two runs has a smaller head, one on paper has nothing to press. */
function drawHead(ui) {
  const { run, id } = ui, first = run.steps[0], last = run.steps.at(-1);
  const calls = run.steps.filter(s => s.kind === 'tool_call').length;
  fill(ui.head, ui.beside ? h('div', { class: 'head' }, h('h2', { class: 'title' }, h('a', { href: link(['runs', id]) }, shown(run.query || id))), stateOf(run))
    : ui.paper ? h('div', { class: 'head' }, h('h1', null, shown(run.query || id)), stateOf(run))
    : h('div', { class: 'head' }, h('a', { class: 'button', href: link(['runs']) }, '‹ Runs'), h('h1', null, shown(run.query || id)), stateOf(run),
      h('span', { class: 'push' }, hasLoop(run) ? h('button', { type: 'button', class: 'quiet', 'aria-keyshortcuts': 'n', onclick: () => go(['runs', id], { next: '1' }) }, 'Next request') : null,
        h('button', { type: 'button', class: 'quiet', 'aria-keyshortcuts': 'p', onclick: () => go(['runs', id], { print: '1' }) }, 'Print'))),
  h('div', { class: 'meta' }, first ? author(first.by) : null, first ? time(new Date(first.at).toISOString()) : null, first ? h('span', null, `took ${lasting(last.at - first.at)}`) : null, h('span', null, many(run.steps.length, 'step')), h('span', null, many(calls, 'call')),
    run.errors ? h('span', { class: 'bad' }, many(run.errors, 'failure')) : null, run.tokens ? h('span', null, `${number(run.tokens)} tokens`) : null, h('code', null, named(id))),
  run.ended?.kind === 'answer' ? h('p', { class: 'outcome text' }, shown(run.ended.text)) : run.ended ? h('p', { class: 'warning' }, named(run.ended.text || 'It ended without an answer.')) : null,
  !run.ended && !past() ? h('p', { class: 'row muted' }, 'It has no answer yet.', hasLoop(run) ? [' To go on with it: ', command(`jotter run --resume ${shellWord(id)}`)] : null) : null,
  run.open?.length && !run.ended ? h('p', { class: 'warning' }, `Issued and not completed: ${run.open.map(o => named(o.tool)).join(', ')}.`) : null,
  run.damaged ? h('p', { class: 'warning bad' }, `${many(run.damaged, 'record')} cannot be read.`) : null);
}

/* The context over the run: what each request was made of, against what is usable. */
function drawCharts(ui) {
  const { run } = ui, replies = run.steps.filter(s => s.budget), out = [];
  if (run.steps.length > 1) {
    const spans = run.steps.filter(s => s.kind !== 'setup').slice(0, 4000).map(s => ({ from: s.from, to: Math.max(s.at, s.from), seq: s.seq, label: `${s.seq}: ${wordOf(s.kind)} ${s.tool ?? ''}`, class: s.ok === false ? 'f5' : KINDS[s.kind]?.[2] ?? 'f6', lane: s.kind === 'tool_result' ? 1 : 0 }));
    out.push(h('section', { class: 'panel' }, h('h2', null, 'Time'), h('div', { class: 'pad-in' }, timeline({ title: 'When each step was under way', series: MARKS, spans, format: lasting, onpick: s => choose({ step: s.seq }) }))));
  }
  if (replies.length) {
    const b = replies.at(-1).budget, usable = (b.window ?? 0) - (b.headroom ?? 0);
    const points = replies.map((s, i) => ({ label: String(s.turn ?? i + 1), title: `turn ${s.turn ?? i + 1}`, values: ['system', 'tools', 'history', 'retrieved'].map(k => s.budget[k] ?? 0) }));
    const marks = [];
    for (const s of run.steps) if (s.kind === 'compact' || s.kind === 'clear' || s.kind === 'drop') { const at = replies.findIndex(r => r.seq > s.seq); if (at >= 0 && marks.at(-1)?.at !== at) marks.push({ at, name: s.kind === 'clear' ? 'mask' : 'summary' }); else if (at >= 0 && s.kind !== 'clear') marks.at(-1).name = 'summary'; }
    const limits = usable > 0 ? [{ name: 'yellow', value: usable * .6, class: 'yellow' }, { name: 'red', value: usable * .8, class: 'red' }, { name: 'usable', value: usable, class: 'green' }] : [];
    out.push(h('section', { class: 'panel' }, h('h2', null, 'Context'), h('div', { class: 'pad-in' }, stackedArea({ title: 'Tokens of the context at each turn', series: ['system', 'tools', 'history', 'retrieved'].map(name => ({ name })), points, limits, marks, unit: ` of ${number(usable)} usable` }))));
  }
  const sign = `${run.steps.length}`;
  if (ui.chartSign === sign) return;
  ui.chartSign = sign;
  fill(ui.charts, out);
}
function drawFilters(ui) {
  const counts = new Map();
  for (const s of ui.run.steps) counts.set(s.kind, (counts.get(s.kind) ?? 0) + 1);
  fill(ui.filters, [...counts].map(([kind, n]) => h('button', { type: 'button', class: 'chip', 'aria-pressed': String(ui.kinds.has(kind)), onclick: () => { if (ui.kinds.has(kind)) ui.kinds.delete(kind); else ui.kinds.add(kind); drawSteps(ui); } }, `${wordOf(kind)} ${number(n)}`)));
}
function stepRow(ui, s) {
  const chosen = String(s.seq) === ui.page.params.step;
  return h('a', { href: link(['runs', ui.id], { step: s.seq }), 'data-row': true, 'aria-current': chosen ? 'true' : null },
    h('span', { class: 'name' }, tag(wordOf(s.kind), s.ok === false ? 'bad' : KINDS[s.kind]?.[1] || s.kind), ' ', h('span', { class: 'tool' }, named(s.tool ?? ''))), h('small', { class: 'num' }, s.at > s.from ? lasting(s.at - s.from) : ''),
    h('small', null, named(s.line ?? '')), h('small', { class: 'num' }, s.tokens ? `${short(s.tokens)} tok` : s.bytes ? size(s.bytes) : ''));
}
function nextStep(ui, by) {
  const steps = ui.list.state.rows, n = steps.findIndex(s => String(s.seq) === ui.page.params.step);
  const next = steps[Math.max(0, Math.min(steps.length - 1, n + by))];
  if (next) { choose({ step: next.seq }); revealStep(ui); }
}
function revealStep(ui) {
  const n = ui.list.state.rows.findIndex(s => String(s.seq) === ui.page.params.step);
  if (n >= 0) ui.list.reveal(n);
}

async function drawStep(ui) {
  const seq = ui.page.params.step;
  ui.pair.classList.toggle('chosen', seq !== undefined);
  if (seq === undefined) { fill(ui.detail, h('section', { class: 'panel' }, empty('Choose a step to see all of it.', [key('j'), key('k'), ' move, ', key('Enter'), ' opens, ', key('['), key(']'), ' go from step to step.']))); return; }
  const mine = ui.showing = {};
  let body;
  try { body = await stepBody(ui.page, ui.id, seq, ui.run.bySeq.get(Number(seq))); } catch (e) { if (e.name === 'AbortError') return; body = failure(e); }
  if (ui.showing === mine) fill(ui.detail, h('section', { class: 'panel doc' }, h('a', { class: 'button back', href: link(['runs', ui.id]) }, '‹ Steps'), body));
}
async function stepBody(page, id, seq, known) {
  if (!/^\d+$/.test(seq)) return empty(`There is no step ${named(seq)}.`);
  if (!known) { /* further on than what is loaded */
    const one = newRun();
    one.next = Number(seq);
    const said = await page.get('run/timeline', { run: id, from_record: seq, limit: 1 });
    for (const step of said.steps) take(one, step);
    known = one.bySeq.get(Number(seq));
  }
  if (!known) return empty(`There is no step ${named(seq)}.`);
  return stepWhole(page, known, known.redacted ? '' : bodyOf(await page.get('run/read', { run: id, record: seq })));
}
const bodyOf = said => said.body !== undefined ? plain(said.body) : said.body_base64 !== undefined ? atob(said.body_base64) : '';
function stepWhole(page, step, text) {
  const known = step, facts = [];
  const fact = (name, value) => { if (value !== undefined && value !== null && value !== '') facts.push(h('dt', null, name), h('dd', null, value)); };
  fact('when', moment(step.at));
  if (step.at > step.from) fact('took', lasting(step.at - step.from));
  fact('call', step.call && h('code', null, named(step.call)));
  fact('outcome', step.ok === undefined ? undefined : step.ok ? 'ok' : 'failure');
  if (step.mutating) fact('changes something', 'yes');
  fact('size', step.bytes ? size(step.bytes) : undefined);
  if (step.usage) fact('tokens', `${number(step.usage.input)} in, ${number(step.usage.output)} out${step.usage.cache_read ? `, ${number(step.usage.cache_read)} from the cache` : ''}`);
  else fact('tokens', step.tokens ? `about ${number(step.tokens)}` : undefined);
  if (step.warning) fact('warning', named(step.warning));
  return [h('div', { class: 'head' }, tag(wordOf(step.kind), step.ok === false ? 'bad' : KINDS[step.kind]?.[1] || step.kind), h('h2', { class: 'title' }, `${step.seq}  ${named(step.tool ?? '')}`)), h('dl', { class: 'facts meta' }, facts),
    h('div', { class: 'body' }, step.redacted ? h('p', { class: 'muted' }, 'The text of this step was redacted: it is gone for good.') : step.kind === 'reply' ? replyBody(text) : jsonNode(text) ?? (text ? textNode(text) : h('p', { class: 'muted' }, known?.line || 'It has no text.')), known?.handle ? sinkButton(page, known.handle) : null)];
}
function replyBody(text) {
  let reply;
  try { reply = JSON.parse(text); } catch { return textNode(text); }
  return [(reply.parts ?? []).map(p => p.text !== undefined ? h('div', { class: 'part' }, textNode(plain(p.text), 'What the model said')) : p.name ? h('div', { class: 'part' }, h('h3', null, `calls ${named(p.name)}`), jsonNode(plain(p.args)) ?? textNode(plain(p.args))) : h('div', { class: 'part muted' }, 'reasoning that is not shown')),
    h('details', { class: 'data' }, h('summary', null, 'The whole record'), jsonNode(text))];
}
/* A large result lies in the sink: it is unfolded when asked for, a piece at a time. */
function sinkButton(page, handle) {
  const box = h('div');
  let from = 0;
  const more = h('button', { type: 'button', onclick: async () => {
    try {
      const said = await page.get('sink/read', { call: handle, byte_range: `${from}:200000` }), text = plain(said.body ?? said.text);
      box.append(h('div', { class: 'text mono' }, shown(text)));
      from = said.to ?? from + text.length;
      if (said.more) more.textContent = `Show more: ${size(from)} of ${size(said.bytes)}`; else more.remove();
    } catch (e) { say(sentence(e.message)); }
  } }, 'Unfold the whole result');
  return h('div', { class: 'sink' }, h('p', null, more), box);
}

/* --- Two runs, and paper ---------------------------------------------------------------------- */

async function drawTwo(page, id, run) {
  const other = newRun(), ids = [id, page.params.with];
  if (run.more) await follow(page, id, run, () => {});
  await follow(page, ids[1], other, () => {});
  page.title('Two runs');
  const column = (r, n) => {
    const ui = { page, id: ids[n], run: r, beside: true, head: h('div', { class: 'runhead' }), charts: h('div', { class: 'stack' }) };
    drawHead(ui);
    drawCharts(ui);
    return h('section', { class: 'stack', 'aria-label': named(r.query || ids[n]) }, ui.head, ui.charts, h('ol', { class: 'panel plainrows' }, r.steps.slice(0, PRINT_MAX).map(s => h('li', null, stepRow(ui, s)))));
  };
  const calls = r => { const m = new Map(); for (const s of r.steps) if (s.kind === 'tool_call') m.set(s.tool, (m.get(s.tool) ?? 0) + 1); return m; };
  const [a, b] = [calls(run), calls(other)], tools = [...new Set([...a.keys(), ...b.keys()])].sort();
  const both = f => [f(run), f(other)], word = r => r.ended?.kind === 'answer' ? 'answered' : r.ended ? `ended: ${named(r.ended.word ?? 'end')}` : 'not finished';
  const rows = [['outcome', ...both(word)], ['time', ...both(r => r.steps.length ? lasting(r.steps.at(-1).at - r.steps[0].at) : '')], ['steps', ...both(r => number(r.steps.length))], ['tokens', ...both(r => number(r.tokens))], ['failures', ...both(r => number(r.errors))], ...tools.map(t => [`calls of ${t}`, number(a.get(t)), number(b.get(t))])];
  fill(page.root, h('div', { class: 'head' }, h('a', { class: 'button', href: link(['runs']) }, '‹ Runs'), h('h1', null, 'Two runs side by side')),
    h('section', { class: 'panel' }, h('h2', null, 'Where they differ'), h('div', { class: 'pad-in scroll' }, h('table', null, h('thead', null, h('tr', null, [h('span', { class: 'unread' }, 'What'), run.query || id, other.query || ids[1]].map((t, i) => h('th', { scope: 'col', class: i ? 'num' : '' }, i ? named(t) : t)))),
      h('tbody', null, rows.map(r => h('tr', { class: r[1] === r[2] ? 'muted' : '' }, h('th', { scope: 'row' }, named(r[0])), h('td', { class: 'num' }, r[1]), h('td', { class: 'num' }, r[2]))))))),
    h('div', { class: 'two' }, column(run, 0), column(other, 1)));
  page.keys({ Esc: { says: 'back to the runs', does: () => go(['runs'], {}) } });
}

/* --- What is asked next ----------------------------------------------------------------------- */

const WAYS = [['', 'by its address'], ['anthropic', 'Anthropic Messages'], ['openai', 'OpenAI chat'], ['responses', 'OpenAI Responses']];

/* The request as it would be sent, part by part; and, folded, its very bytes. */
async function drawNext(ui) {
  const { page, id, run } = ui, body = h('div', { class: 'stack' });
  const way = h('select', { 'aria-label': 'Written for', onchange: () => choose({ way: way.value }) }, WAYS.map(([v, word]) => h('option', { value: v, selected: (page.params.way ?? '') === v }, word)));
  fill(page.root, h('div', { class: 'head' }, h('a', { class: 'button', href: link(['runs', id]) }, '‹ Run'), h('h1', null, 'Next request'), h('span', { class: 'muted' }, shown(run.query || id)), h('span', { class: 'push row' }, h('label', { class: 'row' }, 'Written for', way))), body);
  page.title('Next request');
  const load = async () => {
    let said;
    try { said = await page.get('run/next', { run: id, way: page.params.way }); } catch (e) { if (e.name !== 'AbortError') fill(body, failure(e)); return; }
    const text = said.body ?? atob(said.body_base64 ?? '');
    fill(body, said.says ? h('p', { class: 'warning' }, sentence(said.says)) : null,
      h('p', { class: 'muted' }, said.way === 'JOTTER_MODEL' ? 'This is what jotter run --resume sends, byte for byte; the key goes in a header.' : `No address of ${named(said.model)} is known here (JOTTER_MODEL), so it is written as ${WAYS.find(w => w[0] === said.way)?.[1] ?? named(said.way)} wants it; what an address would add, such as effort, is missing.`),
      h('dl', { class: 'facts' }, [['model', named(said.model)], ['messages', number(said.messages)], ['tools', number(said.tools)], ['context', `${number(said.budget.used)} of ${number(said.budget.window - said.budget.headroom)} tokens, ${named(said.budget.state)}`], ['size', size(said.bytes)]].map(([k, v]) => [h('dt', null, k), h('dd', null, v)])),
      requestParts(text),
      h('section', { class: 'panel', 'aria-label': 'As it is sent' }, h('details', { class: 'data pad-in' }, h('summary', null, 'As it is sent'), h('p', null, h('button', { type: 'button', onclick: () => copy(text) }, 'Copy')), textNode(text, 'The request'))));
  };
  await load();
  page.onchange(when(s => s === `runs/${id}`, later(load, 300)));
  page.keys({ Esc: { says: 'back to the run', does: () => go(['runs', id], {}) } });
  return { update: async p => modeOf(p) === `${id} next` ? load() : false };
}
function requestParts(text) {
  let all;
  try { all = JSON.parse(text); } catch { return null; }
  const section = (name, kids) => h('section', { class: 'panel', 'aria-label': named(name) }, h('h2', null, named(name)), h('div', { class: 'pad-in' }, kids));
  const { tools = [], ...rest } = all, long = ([name, v]) => Array.isArray(v) || String(v).length > 200 || name === 'system' || name === 'instructions';
  const settings = Object.fromEntries(Object.entries(rest).filter(e => !long(e)));
  return [Object.entries(rest).filter(long).map(([name, v]) => section(name, Array.isArray(v) ? v.map(one => h('div', { class: 'part' }, requestItem(one))) : typeof v === 'string' ? textNode(v, named(name)) : jsonNode(JSON.stringify(v)))),
    tools.length ? section('tools', tools.map(one => h('div', { class: 'part' }, requestItem(one)))) : null, section('settings', jsonNode(JSON.stringify(settings)))];
}
/* A message, a part of the system text, or a tool. */
function requestItem(one) {
  const name = one.role ?? one.type ?? '', said = one.content ?? one.text ?? one.output;
  const tool = one.input_schema || one.parameters || one.function;
  if (tool) return h('details', { class: 'data' }, h('summary', null, named(one.function?.name ?? one.name ?? name)), jsonNode(JSON.stringify(one)) ?? textNode(JSON.stringify(one)));
  if (typeof said === 'string' && !one.tool_calls) return [tag(named(name)), textNode(said, named(name))];
  if (Array.isArray(said)) return [tag(named(name)), said.map(p => typeof p.text === 'string' ? textNode(p.text, named(name)) : jsonNode(JSON.stringify(p)) ?? textNode(JSON.stringify(p)))];
  return [tag(named(name)), jsonNode(JSON.stringify(one)) ?? textNode(JSON.stringify(one))];
}

async function drawPrint(ui) {
  const { page, id, run } = ui;
  await follow(page, id, run, () => {});
  ui.paper = true;
  ui.head = h('div', { class: 'runhead' });
  ui.charts = h('div', { class: 'stack' });
  drawHead(ui);
  drawCharts(ui);
  page.title(run.query || id);
  const steps = run.steps.slice(0, PRINT_MAX), texts = [];
  for (let i = 0; i < steps.length; i += 8) /* a few at a time, in order */
    texts.push(...await Promise.all(steps.slice(i, i + 8).map(s => s.redacted ? '' : page.get('run/read', { run: id, record: s.seq }).then(bodyOf))));
  fill(page.root, h('p', { class: 'row noprint' }, h('a', { class: 'button', href: link(['runs', id]) }, '‹ Back'), h('button', { type: 'button', class: 'main', onclick: () => print() }, 'Print')), ui.head, ui.charts,
    h('ol', { class: 'paper' }, steps.map((s, i) => h('li', { class: 'step' }, stepWhole(page, s, texts[i])))), run.steps.length > PRINT_MAX ? h('p', { class: 'muted' }, `Only the first ${number(PRINT_MAX)} steps are here.`) : null);
  page.keys({ Esc: { says: 'back to the run', does: () => go(['runs', id], {}) } });
}
