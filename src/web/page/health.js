/* health.js - whether all is well: what verify finds, how much of each kind there is and how it grows,
 * what gc would free, and what the engine promises.  All of it is about the present. */
import { h, fill, number, many, named, size, time, tag, empty, later, say, moment, day } from './base.js';
import { sentence, past } from './app.js';
import { bars, stackedArea } from './chart.js';

export async function view(page) {
  page.title('Health');
  const faults = h('section', { class: 'panel', 'aria-label': 'Faults' }), sizes = h('section', { class: 'panel', 'aria-label': 'Sizes' }), free = h('section', { class: 'panel', 'aria-label': 'What could go' }), where = h('section', { class: 'panel', 'aria-label': 'The pad' });
  fill(page.root, h('div', { class: 'head' }, h('h1', null, 'Health')), past() ? h('p', { class: 'warning' }, 'Health is about the present: this is how the pad is now.') : null, h('div', { class: 'healthgrid' }, h('div', { class: 'stack' }, faults, sizes), h('div', { class: 'stack' }, where, free)));
  const ask = (path, params) => page.get(path, params).catch(e => { if (e.name === 'AbortError') throw e; return { error: e.message }; });
  const [stats, place] = await Promise.all([ask('pad/stats'), ask('pad/where')]);
  drawSizes(sizes, stats);
  drawWhere(where, place);
  drawFree(page, free, ask);
  fill(faults, h('h2', null, 'Faults'), h('p', { class: 'pad-in muted' }, 'Reading every byte …'));
  const verify = async () => drawFaults(faults, await ask('pad/verify'), verify);
  verify().catch(() => {});
  page.onchange(later(async () => drawSizes(sizes, await ask('pad/stats')), 2000));
}

function drawFaults(box, said, again) {
  if (said.error) { fill(box, h('h2', null, 'Faults'), h('p', { class: 'pad-in warning bad' }, sentence(said.error))); return; }
  const problems = said.problems ?? [];
  fill(box, h('div', { class: 'head' }, h('h2', null, said.faults ? many(said.faults, 'fault') : 'No faults'), tag(said.faults ? 'look at them' : 'all is well', said.faults ? 'bad' : 'good'), h('button', { type: 'button', class: 'quiet push', onclick: async () => { await again(); say('Every byte was read again'); } }, 'Read again')),
    h('p', { class: 'pad-in muted' }, `${many(said.streams, 'stream')}, ${many(said.records, 'record')}, ${size(said.bytes)} were read.`, said.heads?.at ? ` The list of heads is of ${moment(said.heads.at)}.` : ''),
    problems.length ? h('ul', { class: 'open' }, problems.slice(0, 500).map(p => h('li', null, h('div', { class: 'row' }, tag(named(p.kind), p.counts ? 'bad' : 'warn'), h('b', null, named(p.stream ?? ''))), h('p', { class: 'about' }, `${sentence(p.what ?? '')} ${p.advice ? sentence(p.advice.replace(/^nothing: /, 'nothing to do: ')) : ''}`)))) : null);
}
function drawSizes(box, said) {
  if (said.error) { fill(box, h('h2', null, 'Sizes'), h('p', { class: 'pad-in' }, sentence(said.error))); return; }
  const kinds = said.kinds.slice().sort((a, b) => b.bytes - a.bytes);
  if (!kinds.length) { fill(box, h('h2', null, 'Sizes'), empty('The pad is empty.')); return; }
  fill(box, h('h2', null, 'Sizes and growth'), growthChart(kinds), h('div', { class: 'pad-in' }, bars({ title: 'Bytes by kind', series: [{ name: 'bytes' }], rows: kinds.map(k => ({ label: k.kind, values: [k.bytes] })), format: size })),
    h('div', { class: 'pad-in scroll', tabindex: '0', role: 'region', 'aria-label': 'Kinds' }, h('table', null, h('thead', null, h('tr', null, ['Kind', 'Streams', 'Deleted', 'Records', 'Bytes', 'A day', 'Oldest', 'Newest'].map((t, i) => h('th', { scope: 'col', class: i > 0 && i < 6 ? 'num' : '' }, t)))),
      h('tbody', null, kinds.map(k => h('tr', null, h('th', { scope: 'row' }, named(k.kind)), h('td', { class: 'num' }, number(k.streams)), h('td', { class: 'num' }, number(k.deleted)), h('td', { class: 'num' }, number(k.records)), h('td', { class: 'num' }, size(k.bytes)), h('td', { class: 'num' }, growth(k)), h('td', null, k.oldest ? time(k.oldest) : ''), h('td', null, k.newest ? time(k.newest) : '')))))));
}
/* What there is, by when it was written: the five largest kinds, and all others together.  It begins
 * with the first of the newest 90 days on which something was written. */
const DAY = 86400e3;
function growthChart(kinds) {
  const days = kinds[0].grew?.length ?? 0, sum = list => list.reduce((a, b) => a + b, 0);
  const first = Math.min(...kinds.map(k => (k.grew ?? []).findIndex(n => n > 0)).filter(n => n >= 0), days);
  if (days - first < 2) return null; /* it is of today: there is no curve yet */
  const shown = kinds.length > 6 ? kinds.slice(0, 5) : kinds.slice(0, 6), rest = kinds.slice(shown.length);
  const series = shown.map(k => ({ name: named(k.kind), of: [k] })).concat(rest.length ? [{ name: 'other', of: rest }] : []);
  const before = series.map(s => sum(s.of.map(k => k.bytes - sum(k.grew.slice(first)))));
  const points = Array.from({ length: days - first }, (_, i) => {
    const date = new Date((Math.floor(Date.now() / DAY) - (days - 1 - first - i) + .5) * DAY), words = day(date).split(' ');
    return { label: `${words[0]} ${words[1]}`, title: day(date), values: series.map((s, n) => before[n] += sum(s.of.map(k => k.grew[first + i]))) };
  });
  return h('div', { class: 'pad-in' }, stackedArea({ title: 'Growth by kind, in bytes', series, points, height: 200, unit: ' bytes' }));
}
/* Bytes a day since the oldest record; of what is younger than a day, all of it. */
function growth(k) {
  const days = Math.max(1, (Date.now() - Date.parse(k.oldest)) / 86400e3);
  return Number.isFinite(days) ? size(Math.round(k.bytes / days)) : '';
}
function drawWhere(box, said) {
  const yes = v => v === true ? tag('yes', 'good') : v === false ? tag('no', 'bad') : named(v);
  fill(box, h('h2', null, 'What it promises'), said.error ? h('p', { class: 'pad-in muted' }, sentence(said.error)) : h('dl', { class: 'facts pad-in' },
    [['engine', h('code', null, named(said.scheme ?? ''))], ['ok means durable', yes(said.durable)], ['for many processes', yes(said.shared)], ['files to edit', yes(said.editable)], ['guards hold', yes(said.guarded)], ['read only', said.read_only ? named(said.read_only) : 'no'], said.caveats ? ['but', named(said.caveats)] : null].filter(Boolean).map(([k, v]) => [h('dt', null, k), h('dd', null, v)])));
}
function drawFree(page, box, ask) {
  const keep = h('input', { type: 'number', min: '16', max: '1000000', value: '20', id: 'keep' }), said = h('div', { role: 'status' });
  const look = async () => {
    const r = await ask('pad/gc', { keep: keep.value });
    fill(said, r.error ? h('p', { class: 'muted' }, sentence(r.error)) : [h('p', null, r.records ? `${many(r.records, 'record')} and ${size(r.bytes)} would go; no value of a document, and never the newest 16 of anything.` : 'Nothing would go.'), (r.streams ?? []).length ? h('ul', { class: 'open' }, r.streams.slice(0, 20).map(s => h('li', { class: 'row' }, named(s.stream), h('span', { class: 'muted push num' }, `${number(s.records)}, ${size(s.bytes)}`)))) : null]);
  };
  keep.addEventListener('input', later(look, 250));
  fill(box, h('h2', null, 'What gc would free'), h('div', { class: 'pad-in' }, h('p', { class: 'row' }, h('label', { for: 'keep' }, 'Keep the newest versions of each document:'), keep), said, h('p', { class: 'muted' }, 'Nothing is dropped from here: jotter gc does it.')));
  look();
}
