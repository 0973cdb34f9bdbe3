/* cycles.js - agents that sleep between their turns: the chain of their cycles as a strip, and of each
 * one what changed in the state, by key, how it went, and every step. */
import { h, fill, link, go, later, when, time, author, tag, named, shown, plain, number, many, empty, command, lasting, moment } from './base.js';
import { sentence, past, failure } from './app.js';
import { textNode } from './note.js';

const GOOD = new Set(['done', 'finished', 'slept', 'stopped']);
const mark = end => end === 'failed' || end === 'crashed' || end === 'dead' ? 'bad' : end === 'running' ? 'running' : end === 'limit' ? 'warn' : GOOD.has(end) ? 'good' : '';

export async function view(page) {
  const ui = { page };
  ui.body = h('div', { class: 'stack' });
  ui.agents = h('div', { class: 'row' });
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Cycles'), ui.agents), ui.body);
  await draw(ui);
  page.onchange(when(s => /^(cycles|snapshots|steps)\//.test(s), later(() => draw(ui).catch(() => {}), 300)));
  page.keys({ '[': { says: 'cycle before', does: () => move(ui, 1) }, ']': { says: 'next cycle', does: () => move(ui, -1) } });
  return { update: () => draw(ui) };
}
async function agentsOf(page) {
  const said = await page.get('note/list', { prefix: 'cycles/', limit: 200 });
  return said.notes.map(n => n.stream.slice('cycles/'.length)).filter(n => !n.includes('/'));
}
async function draw(ui) {
  const { page } = ui, agents = await agentsOf(page), agent = page.parts[0] ?? (agents.includes('default') ? 'default' : agents[0]);
  page.title(agent ? `Cycles of ${agent}` : 'Cycles');
  if (!agent) { fill(ui.agents); fill(ui.body, empty(past() ? 'There was no cycle then.' : 'No agent wakes and sleeps here yet.', past() ? null : 'An agent that sleeps between its turns keeps one document, its state:', past() ? null : command("jotter cycle init 'keep an eye on the nightly report'"))); return; }
  const [list, status] = await Promise.all([page.get('cycle/list', { agent, limit: 200 }), page.get('cycle/status', { agent })]);
  ui.cycles = list.cycles;
  ui.agent = agent;
  const id = page.parts[1] ?? ui.cycles[0]?.cycle;
  fill(ui.agents, agents.length > 1 ? agents.map(a => h('a', { class: 'button', href: link(['cycles', a]), 'aria-current': a === agent ? 'page' : null }, named(a))) : h('span', { class: 'muted' }, `of ${named(agent)}`), status.running && !past() ? tag('running') : null);
  const one = id ? await chosen(ui, id) : null;
  fill(ui.body, strip(ui, id, list.total), one, h('section', { class: 'panel' }, h('h2', null, page.at ? 'The state then' : 'The state now'), h('div', { class: 'pad-in' }, status.there ? textNode(plain(status.text), 'State') : h('p', { class: 'muted' }, 'There is no state.'), h('p', { class: 'row muted' }, status.by ? author(status.by) : null, status.version ? h('code', null, status.version) : null))));
}
function strip(ui, id, total) {
  if (!ui.cycles.length) return h('p', { class: 'muted' }, past() ? 'No cycle had begun then.' : 'It has not woken yet: ', past() ? null : command('jotter cycle run'));
  const words = Map.groupBy(new Set(ui.cycles.map(c => c.end)), mark);
  return h('section', { class: 'panel', 'aria-label': 'The chain of cycles' }, h('h2', null, `${many(total ?? ui.cycles.length, 'cycle')}, oldest first`), h('ol', { class: 'strip pad-in', 'data-list': true }, ui.cycles.slice().reverse().map(c => h('li', null,
    h('a', { href: link(['cycles', ui.agent, c.cycle]), class: `e-${mark(c.end)}`, 'data-row': true, 'aria-current': c.cycle === id ? 'true' : null, title: `${c.cycle}: ${c.end}${c.why ? `, ${named(c.why)}` : ''}`, }, h('span', null, number(c.iterations ?? 0)), h('span', { class: 'unread' }, ` iterations, ${named(c.cycle)}, ${named(c.end)}`))))),
    h('ul', { class: 'legend pad-in' }, [...words].map(([m, of]) => h('li', null, h('i', { class: `e-${m}` }), of.map(named).join(', '))), h('li', null, 'the number is how many iterations it took')));
}
function move(ui, by) {
  const at = ui.cycles.findIndex(c => c.cycle === (ui.page.parts[1] ?? ui.cycles[0]?.cycle)), next = ui.cycles[Math.max(0, Math.min(ui.cycles.length - 1, at + by))];
  if (next) go(['cycles', ui.agent, next.cycle], {});
}
async function chosen(ui, id) {
  let said, steps;
  try { [said, steps] = await Promise.all([ui.page.get('cycle/explain', { agent: ui.agent, cycle: id }), ui.page.get('cycle/steps', { agent: ui.agent, cycle: id }).catch(() => ({ steps: [] }))]); } catch (e) { if (e.name === 'AbortError') throw e; return h('section', { class: 'panel' }, failure(e)); }
  const c = said.cycle ?? {};
  return h('section', { class: 'panel', 'aria-label': `Cycle ${named(id)}` },
    h('div', { class: 'head' }, h('h2', null, named(id)), tag(named(said.reading), mark(c.end) || said.reading), h('span', { class: 'muted row push' }, c.by ? author(c.by) : null, c.started ? time(c.started) : null, c.ended && c.started ? `took ${lasting(Date.parse(c.ended) - Date.parse(c.started))}` : null)),
    h('p', { class: 'pad-in' }, sentence(said.sentence), said.hint ? ` ${sentence(said.hint)}` : ''),
    h('div', { class: 'pad-in scroll', tabindex: '0', role: 'region', 'aria-label': 'What it changed' }, h('h3', null, 'What it changed'), said.diff?.length ? h('table', { class: 'keydiff' }, h('thead', null, h('tr', null, ['', 'Key', 'Before', 'After'].map(t => h('th', { scope: 'col' }, t || h('span', { class: 'unread' }, 'Change'))))),
      h('tbody', null, said.diff.map(d => h('tr', null, h('td', null, tag(named(d.change), { added: 'added', removed: 'deleted', changed: 'changed' }[d.change] ?? '')), h('td', null, h('code', null, named(d.path))), h('td', { class: d.was !== undefined ? 'was' : '' }, d.was !== undefined ? shown(value(d.was)) : ''), h('td', { class: d.is !== undefined ? 'is' : '' }, d.is !== undefined ? shown(value(d.is)) : ''))))) : h('p', { class: 'muted' }, 'Nothing.')),
    h('details', { class: 'data pad-in' }, h('summary', null, `${many(steps.steps.length, 'step')}`), h('ol', { class: 'steps' }, steps.steps.map(s => h('li', null, tag(named(s.kind), s.kind), h('div', null, h('p', { class: 'muted' }, [s.tool, s.action, s.status, s.end].filter(Boolean).map(named).join(', '), s.at ? `, ${moment(s.at)}` : ''), textNode(plain(s.text), 'Step')))))));
}
/* The server gives one line for each, with its line ends as two characters. */
const value = v => typeof v === 'string' ? v.replaceAll('\\n', '\n') : JSON.stringify(v, null, 1);
