/* tasks.js - work to share: tasks as a board and as a graph of what waits for what, and plans with
 * their evidence. */
import { h, svg, fill, add, link, go, choose, say, later, when, time, author, tag, named, shown, number, many, empty, command } from './base.js';
import { sentence, readOnly, past } from './app.js';

export const view = page => page.name === 'plans' ? plans(page) : tasks(page);

/* --- Tasks ------------------------------------------------------------------------------------ */

const COLUMNS = [['pending', 'Pending'], ['ready', 'Ready'], ['running', 'Running'], ['blocked', 'Blocked'], ['failed', 'Failed'], ['completed', 'Done']];
/* What a person can do with a task in each state: [verb, word, asks for]. */
const MOVES = {
  pending: [['block', 'Block', 'reason'], ['cancel', 'Cancel', 'reason']], ready: [['start', 'Start'], ['block', 'Block', 'reason'], ['cancel', 'Cancel', 'reason']],
  running: [['done', 'Done', 'result'], ['fail', 'Fail', 'reason'], ['block', 'Block', 'reason']], blocked: [['unblock', 'Unblock']], failed: [['retry', 'Try again'], ['cancel', 'Cancel', 'reason']], completed: [],
};

async function tasks(page) {
  page.title('Tasks');
  const ui = { page, all: [] };
  ui.show = h('span', { class: 'group', role: 'group', 'aria-label': 'Show as' });
  ui.body = h('div');
  ui.detail = h('div', { class: 'taskdetail' });
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Tasks'), ui.show, readOnly() ? null : adder(ui)), ui.detail, ui.body);
  await load(ui);
  await drawDetail(ui);
  page.onchange(when(s => s.startsWith('tasks/'), later(() => load(ui).then(() => drawDetail(ui)).catch(() => {}), 200)));
  page.keys({ Esc: { says: 'close the task', does: () => go(['tasks'], { show: page.params.show }) }, b: { says: 'board or graph', does: () => choose({ show: page.params.show === 'graph' ? '' : 'graph' }) } });
  return { update: async () => { draw(ui); await drawDetail(ui); } };
}
async function load(ui) {
  const all = [];
  for (let after; all.length < 5000;) {
    const said = await ui.page.get('task/list', { limit: 500, after });
    all.push(...said.tasks);
    ui.problems = said.problems ?? [];
    if (!said.more || !said.tasks.length) break;
    after = said.tasks.at(-1).task_id;
  }
  ui.all = all;
  draw(ui);
}
function adder(ui) {
  const field = h('input', { 'aria-label': 'New task', placeholder: 'New task …', autocomplete: 'off', maxlength: '2000' });
  return h('form', { class: 'push row', onsubmit: async e => {
    e.preventDefault();
    if (!field.value.trim()) return;
    try { const made = await ui.page.post('task/add', { description: field.value.trim() }); field.value = ''; say(`Added '${made.task_id}'`); await load(ui); } catch (err) { say(sentence(err.message)); }
  } }, field, h('button', null, 'Add'));
}
function draw(ui) {
  const graph = ui.page.params.show === 'graph';
  fill(ui.show, [['', 'Board'], ['graph', 'Graph']].map(([v, w]) => h('button', { type: 'button', 'aria-pressed': String((v === 'graph') === graph), onclick: () => choose({ show: v }) }, w)));
  if (!ui.all.length) { fill(ui.body, empty(past() ? 'There was no task then.' : 'There is no task yet.', past() ? null : 'Add one above, or from a terminal:', past() ? null : command("jotter task add 'write the release notes'"))); return; }
  fill(ui.body, ui.problems.map(p => h('p', { class: 'warning bad' }, `${named(p.task_id)}: ${named(p.why)}`)), graph ? drawGraph(ui) : board(ui));
}
const waitsFor = (ui, t) => (t.dependencies ?? []).filter(d => ui.all.find(o => o.task_id === d)?.status !== 'completed');
function board(ui) {
  return h('div', { class: 'board', 'data-list': true }, COLUMNS.map(([state, word]) => {
    const here = ui.all.filter(t => t.status === state).sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0) || a.task_id.localeCompare(b.task_id));
    return h('section', { class: 'column', 'aria-label': word }, h('h2', null, word, ' ', h('span', { class: 'muted' }, number(here.length))),
      here.slice(0, 200).map(t => card(ui, t)), here.length > 200 ? h('p', { class: 'muted' }, `and ${number(here.length - 200)} more`) : null);
  }));
}
function card(ui, t) {
  const waits = waitsFor(ui, t);
  return h('a', { class: 'card', href: link(['tasks', t.task_id], { show: ui.page.params.show }), 'data-row': true, 'aria-current': ui.page.parts[0] === t.task_id ? 'true' : null },
    h('b', null, named(t.task_id)), h('span', null, named(t.description ?? '')), h('span', { class: 'row muted' }, t.holder ? author(t.holder) : t.agent ? `for ${named(t.agent)}` : null, waits.length && t.status !== 'completed' ? `waits for ${waits.map(named).join(', ')}` : null, t.reason && t.status !== 'completed' ? named(t.reason) : null, h('span', { class: 'push num', title: 'priority' }, `P${number(t.priority ?? 0)}`)));
}

async function drawDetail(ui) {
  const id = ui.page.parts[0];
  if (!id) { fill(ui.detail); return; }
  const mine = ui.showing = {};
  let task, events = [];
  try {
    [task, events] = await Promise.all([ui.page.get('task/read', { id }), ui.page.get('task/history', { id, limit: 200 }).then(s => s.events)]);
  } catch (e) { if (e.name !== 'AbortError' && ui.showing === mine) fill(ui.detail, h('section', { class: 'panel' }, empty(sentence(e.message)))); return; }
  if (ui.showing !== mine) return;
  ui.page.title(`Task ${id}`);
  const word = h('input', { 'aria-label': 'Reason or result', placeholder: 'reason or result', autocomplete: 'off' });
  const act = async ([verb, , needs]) => {
    if (needs === 'reason' && !word.value.trim()) { say('Say the reason first'); word.focus(); return; }
    const body = { id };
    if (word.value.trim()) body[needs ?? 'reason'] = word.value.trim();
    if (['done', 'fail', 'block', 'cancel'].includes(verb) && task.holder) body.manual = true;
    try { await ui.page.post(`task/${verb}`, body); say(`'${id}': ${verb}`); await load(ui); await drawDetail(ui); } catch (e) { say(sentence(e.message)); }
  };
  const deps = task.dependencies ?? [], needed = ui.all.filter(t => (t.dependencies ?? []).includes(id));
  const fact = (name, value) => value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length) ? null : [h('dt', null, name), h('dd', null, value)];
  const links = ids => ids.map((d, i) => [i ? ', ' : '', h('a', { href: link(['tasks', d], { show: ui.page.params.show }) }, named(d))]);
  fill(ui.detail, h('section', { class: 'panel', 'aria-label': `Task ${named(id)}` }, h('div', { class: 'head' }, tag(named(task.status), task.status), h('h2', null, named(id)), h('span', null, shown(task.description ?? '')), h('a', { class: 'button push', href: link(['tasks'], { show: ui.page.params.show }) }, 'Close')),
    h('div', { class: 'pad-in detailgrid' }, h('dl', { class: 'facts' }, fact('held by', task.holder ? author(task.holder) : null), fact('meant for', named(task.agent ?? '')), fact('reason', named(task.reason ?? '')), fact('result', task.result ? shown(String(task.result)) : null), fact('expected', named(task.expected_output ?? '')), fact('needs', deps.length ? links(deps) : null), fact('needed by', needed.length ? links(needed.map(t => t.task_id)) : null), fact('priority', String(task.priority ?? '')), fact('tried again', task.retry_count ? many(task.retry_count, 'time') : null)),
      h('ol', { class: 'events' }, events.slice().reverse().map(e => h('li', null, time(e.at), tag(named(e.to ?? e.type), e.to ?? ''), author(e.by), h('span', { class: 'muted' }, named(e.reason ?? e.result ?? '')))))),
    !readOnly() && MOVES[task.status]?.length ? h('div', { class: 'pad-in row' }, MOVES[task.status].map(m => h('button', { type: 'button', onclick: () => act(m) }, m[1])), MOVES[task.status].some(m => m[2]) ? word : null) : null));
}

/* Tasks in layers: each stands to the right of everything it needs.  Rows follow the order of what
 * they need, which keeps most lines short. */
export function layers(all) {
  const known = new Map(all.map(t => [t.task_id, t])), depth = new Map();
  const of = (id, seen = new Set()) => {
    if (depth.has(id)) return depth.get(id);
    if (seen.has(id)) return 0;
    seen.add(id);
    const d = Math.max(-1, ...(known.get(id)?.dependencies ?? []).filter(n => known.has(n)).map(n => of(n, seen))) + 1;
    depth.set(id, d);
    return d;
  };
  all.forEach(t => of(t.task_id));
  const columns = [];
  for (const t of all) (columns[depth.get(t.task_id)] ??= []).push(t.task_id);
  const place = new Map();
  for (const [c, ids] of columns.entries()) {
    const at = id => { const p = (known.get(id).dependencies ?? []).filter(d => place.has(d)).map(d => place.get(d).row); return p.length ? p.reduce((a, b) => a + b, 0) / p.length : 1e9; };
    ids.sort((a, b) => at(a) - at(b) || a.localeCompare(b));
    ids.forEach((id, row) => place.set(id, { column: c, row }));
  }
  return place;
}
function drawGraph(ui) {
  const all = ui.all.slice(0, 400), place = layers(all), w = 190, hgt = 46, gapX = 60, gapY = 14;
  const columns = Math.max(...[...place.values()].map(p => p.column)) + 1, rows = Math.max(...[...place.values()].map(p => p.row)) + 1;
  const x = p => 4 + p.column * (w + gapX), y = p => 4 + p.row * (hgt + gapY), cut = (t, n) => t.length > n ? `${t.slice(0, n - 1)}…` : t;
  const drawing = svg('svg', { viewBox: `0 0 ${columns * (w + gapX) - gapX + 8} ${rows * (hgt + gapY)}`, width: columns * (w + gapX) - gapX + 8, height: rows * (hgt + gapY), class: 'graph', role: 'group', 'aria-label': 'What waits for what' });
  for (const t of all) for (const d of t.dependencies ?? []) {
    if (!place.has(d)) continue;
    const a = place.get(d), b = place.get(t.task_id), x1 = x(a) + w, y1 = y(a) + hgt / 2, x2 = x(b), y2 = y(b) + hgt / 2, m = (x1 + x2) / 2;
    const done = all.find(o => o.task_id === d)?.status === 'completed';
    add(drawing, svg('path', { d: `M${x1} ${y1}C${m} ${y1} ${m} ${y2} ${x2} ${y2}m-7 -4l7 4l-7 4`, class: `edge ${done ? 'met' : ''}` }));
  }
  for (const t of all) {
    const p = place.get(t.task_id);
    add(drawing, svg('a', { href: link(['tasks', t.task_id], { show: 'graph' }), 'data-row': true }, svg('title', null, `${named(t.status)}: ${named(t.description ?? '')}`), svg('rect', { x: x(p), y: y(p), width: w, height: hgt, rx: 6, class: `node s-${t.status}` }), svg('text', { x: x(p) + 10, y: y(p) + 19, class: 'id' }, cut(named(t.task_id), 24)), svg('text', { x: x(p) + 10, y: y(p) + 35 }, cut(named(t.description ?? ''), 28))));
  }
  return h('div', { class: 'panel' }, h('div', { class: 'pad-in scroll', 'data-list': true, tabindex: '0', role: 'region', 'aria-label': 'Graph of tasks' }, h('ul', { class: 'legend' }, COLUMNS.map(([s, w2]) => h('li', null, h('i', { class: `s-${s}` }), w2))), drawing, ui.all.length > 400 ? h('p', { class: 'muted' }, 'Only the first 400 tasks are drawn.') : null));
}

/* --- Plans ------------------------------------------------------------------------------------ */

async function plans(page) {
  page.title('Plans');
  const body = h('div', { class: 'plans', 'data-list': true });
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Plans')), body);
  const draw = async () => {
    const said = await page.get('plan/list'), ids = said.plans.map(p => p.id);
    const want = page.parts[0], shownIds = want ? [want] : ids.slice(0, 60);
    const all = await Promise.all(shownIds.map(id => page.get('plan/show', { plan: id }).catch(e => ({ id, error: e.message }))));
    if (!all.length) { fill(body, empty(past() ? 'There was no plan then.' : 'There is no plan yet.', past() ? null : 'A plan has steps that are done with evidence, and conditions that hold at the end:', past() ? null : command("jotter plan create move 'harbour runs on Postgres' --step 'rehearse' --post 'counts are equal'"))); return; }
    fill(body, want ? h('p', null, h('a', { href: link(['plans']) }, `All plans (${number(ids.length)})`)) : null, all.map(p => planCard(p)), !want && ids.length > 60 ? h('p', { class: 'muted' }, `${many(ids.length - 60, 'older plan')}: `, ids.slice(60, 200).map(id => [h('a', { href: link(['plans', id]) }, named(id)), ' '])) : null);
  };
  await draw();
  page.onchange(when(s => s.startsWith('plans/'), later(() => draw().catch(() => {}), 250)));
  page.keys({ Esc: { says: 'all plans', does: () => go(['plans'], {}) } });
  return { update: draw };
}
function planCard(p) {
  if (p.error) return h('section', { class: 'panel pad-in' }, empty(sentence(p.error)));
  const done = p.steps.filter(s => s.status === 'done').length, open = p.steps.length - done;
  return h('section', { class: 'panel', 'aria-label': `Plan ${named(p.id)}` }, h('div', { class: 'head' }, h('h2', null, h('a', { href: link(['plans', p.id]), 'data-row': true }, named(p.objective))), p.ready ? (open ? tag(`closed, ${number(open)} not done`, 'blocked') : tag('done')) : tag(`${done} of ${p.steps.length} steps`, 'running'), h('span', { class: 'muted push row' }, p.by ? author(p.by) : null, p.at ? time(p.at) : null)),
    h('div', { class: 'gauge' }, h('i', { style: { '--part': done / Math.max(1, p.steps.length) } })),
    h('ol', { class: 'steps' }, p.steps.map(s => h('li', null, tag(named(s.status).replace('_', ' '), s.status), h('div', null, shown(s.description), s.evidence ? h('p', { class: 'muted' }, 'Evidence: ', shown(s.evidence)) : null, s.notes ? h('p', { class: 'muted' }, shown(s.notes)) : null)))),
    p.postconditions?.length ? h('div', { class: 'pad-in' }, h('h3', null, 'At the end it must hold that'), h('ul', { class: 'posts' }, p.postconditions.map(c => h('li', null, tag(c.satisfied ? 'holds' : 'open', c.satisfied ? 'good' : ''), h('div', null, shown(c.description), c.evidence ? h('p', { class: 'muted' }, 'Evidence: ', shown(c.evidence)) : null))))) : null);
}
