/* chart.js - the charts of every view, drawn as SVG: a stacked area, bars, and a timeline.
 *
 * Each has axes, a legend, values on hover and under the arrow keys, and the same numbers as a table
 * for whoever cannot see it.  Colours come from the style sheet (f1 to f6). */
import { h, svg, add, short, number, named } from './base.js';

/* A box that draws its chart at the width it has, again whenever that changes: texts keep their size.
 * render(box, width) fills it. */
function fitted(render) {
  const box = h('div', { class: 'chart' });
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.max(240, Math.round(box.clientWidth));
    if (!box.clientWidth || width === drawn) return; /* it is not shown yet, or as it was */
    drawn = width;
    box.replaceChildren();
    render(box, width);
  }).observe(box);
  return box;
}

/* Round numbers for an axis: at most `n` steps from 0 to something not below max. */
export function ticks(max, n = 4) {
  if (!(max > 0)) return [0, 1];
  const raw = max / n, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(k => k * power).find(s => s >= raw);
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, i) => i * step);
}

function table(title, heads, rows) {
  return h('details', { class: 'data' }, h('summary', null, 'As a table'), h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title }, h('table', null, h('caption', { class: 'unread' }, title),
    h('thead', null, h('tr', null, heads.map((t, i) => h('th', { scope: 'col', class: i ? 'num' : '' }, t)))),
    h('tbody', null, rows.slice(0, 2000).map(r => h('tr', null, r.map((c, i) => i ? h('td', { class: 'num' }, c) : h('th', { scope: 'row' }, c))))))));
}
const legend = series => h('ul', { class: 'legend', 'aria-hidden': 'true' }, series.map((s, i) => h('li', null, h('i', { class: s.class ?? `f${i + 1}` }), s.name)));

/* Pointer and arrow keys choose a place; tip() draws what is there. */
function explore(box, W, drawing, count, place, tip, pick = () => {}) {
  const bubble = h('div', { class: 'tip', hidden: true, role: 'status' });
  let at = -1;
  const show = i => {
    at = i;
    bubble.hidden = i < 0;
    if (i < 0) { drawing.querySelector('.cursor')?.setAttribute('visibility', 'hidden'); return; }
    bubble.replaceChildren();
    add(bubble, tip(i));
    const x = place(i) / W * box.clientWidth, right = x > box.clientWidth / 2;
    bubble.style.setProperty('top', '8px');
    bubble.style.setProperty('left', right ? 'auto' : `${x + 10}px`);
    bubble.style.setProperty('right', right ? `${box.clientWidth - x + 10}px` : 'auto');
    const line = drawing.querySelector('.cursor');
    line?.setAttribute('visibility', 'visible');
    line?.setAttribute('transform', `translate(${place(i)} 0)`);
  };
  const nearest = e => {
    const r = drawing.getBoundingClientRect(), x = (e.clientX - r.left) / r.width * W;
    let best = 0;
    for (let i = 1; i < count; i++) if (Math.abs(place(i) - x) < Math.abs(place(best) - x)) best = i;
    return best;
  };
  drawing.addEventListener('pointermove', e => show(nearest(e)));
  drawing.addEventListener('pointerleave', () => show(-1));
  drawing.addEventListener('click', e => pick(nearest(e)));
  drawing.addEventListener('blur', () => show(-1));
  drawing.addEventListener('keydown', e => {
    if (e.key === 'Enter' && at >= 0) pick(at);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    show(Math.max(0, Math.min(count - 1, to)));
  });
  box.append(bubble);
}

/* points: [{label, values: [n of each series]}]; limits: [{name, value, class}]; marks: [{at: number of
 * a point, name}], drawn before that point. */
export function stackedArea({ title, series, points, limits = [], marks = [], height = 220, unit = '' }) {
  const left = 44, right = 52, top = 16, bottom = 24, H = height;
  const sums = points.map(p => p.values.reduce((a, b) => a + b, 0)), steps = ticks(Math.max(...sums, ...limits.map(l => l.value)) * 1.02), max = steps.at(-1);
  const y = v => H - bottom - v / max * (H - top - bottom);
  const box = fitted((at, W) => {
    const x = i => left + (points.length < 2 ? .5 : i / (points.length - 1)) * (W - left - right);
    const areas = series.map((s, k) => {
      const low = points.map(p => p.values.slice(0, k).reduce((a, b) => a + b, 0)), high = points.map((p, i) => low[i] + p.values[k]);
      const line = (v, i, first) => `${first ? 'M' : 'L'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
      return svg('path', { class: s.class ?? `f${k + 1}`, 'fill-opacity': '.85', d: high.map((v, i) => line(v, i, !i)).join('') + low.map((v, i) => line(v, i)).reverse().join('') + 'Z' });
    });
    const every = Math.max(1, Math.ceil(points.length / (W / 70)));
    let free = 0; /* names of marks do not stand on each other */
    const drawing = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': `${title}. Arrow keys show the values; the table below has all of them.`, tabindex: '0' },
      steps.map(v => [svg('line', { x1: left, x2: W - right, y1: y(v), y2: y(v), class: v ? 'axis' : 'base' }), svg('text', { x: left - 6, y: y(v) + 4, 'text-anchor': 'end' }, short(v))]),
      points.map((p, i) => i % every === 0 ? svg('text', { x: x(i), y: H - 6, 'text-anchor': 'middle' }, named(p.label)) : null), areas,
      marks.map(m => {
        const here = x(Math.max(0, m.at - .5)), room = here >= free;
        if (room) free = here + 8 + m.name.length * 6;
        return [svg('line', { x1: here, x2: here, y1: top - 6, y2: H - bottom, class: 'mark' }), room ? svg('text', { x: here + 4, y: top, class: 'mark' }, m.name) : null];
      }),
      limits.map(l => [svg('line', { x1: left, x2: W - right, y1: y(l.value), y2: y(l.value), class: `limit ${l.class}` }), svg('text', { x: W - right + 6, y: y(l.value) + 4, class: l.class }, l.name)]),
      svg('line', { class: 'cursor', y1: top, y2: H - bottom, visibility: 'hidden' }));
    at.append(drawing);
    explore(at, W, drawing, points.length, x, i => [h('b', null, named(points[i].title ?? points[i].label)), series.map((s, k) => [h('br'), `${s.name} ${number(points[i].values[k])}`]), h('br'), `together ${number(sums[i])}${unit}`]);
  });
  box.style.setProperty('min-height', `${H}px`);
  return h('figure', { 'aria-label': title }, legend(series), box, table(title, ['', ...series.map(s => s.name), 'together'], points.map((p, i) => [named(p.title ?? p.label), ...p.values.map(number), number(sums[i])])));
}

/* rows: [{label, values: [n of each series]}]: horizontal bars on one scale. */
export function bars({ title, series, rows, format = number }) {
  const left = 108, right = 70, line = 26, top = 6, H = top + rows.length * line + 22;
  const sums = rows.map(r => r.values.reduce((a, b) => a + b, 0)), steps = ticks(Math.max(...sums, 1)), max = steps.at(-1);
  const box = fitted((at, W) => {
    const x = v => left + v / max * (W - left - right);
    at.append(svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': `${title}. The table below has the values.` },
      steps.filter((v, i) => W > 600 || i % 2 === 0).map(v => [svg('line', { x1: x(v), x2: x(v), y1: top, y2: H - 18, class: v ? 'axis' : 'base' }), svg('text', { x: x(v), y: H - 4, 'text-anchor': 'middle' }, format(v))]),
      rows.map((r, i) => {
        let from = 0;
        return [svg('text', { x: left - 8, y: top + i * line + 17, 'text-anchor': 'end' }, named(r.label)),
          r.values.map((v, k) => { const begin = from; from += v; return svg('rect', { x: x(begin), y: top + i * line + 5, width: Math.max(v ? 1 : 0, x(from) - x(begin)), height: line - 10, class: series[k].class ?? `f${k + 1}` }, svg('title', null, `${r.label}: ${series[k].name} ${format(v)}`)); }),
          svg('text', { x: x(sums[i]) + 6, y: top + i * line + 17 }, format(sums[i]))];
      })));
  });
  box.style.setProperty('min-height', `${H}px`);
  return h('figure', { 'aria-label': title }, series.length > 1 ? legend(series) : null, box, table(title, ['', ...series.map(s => s.name)], rows.map(r => [named(r.label), ...r.values.map(format)])));
}

/* spans: [{from, to, label, class, lane}] in milliseconds: when each step was under way; series: [{name, class}]
 * says what their colours mean. */
export function timeline({ title, series, spans, format, onpick }) {
  const left = 8, right = 24, H = 54, begin = Math.min(...spans.map(s => s.from)), end = Math.max(...spans.map(s => s.to), begin + 1);
  const box = fitted((at, W) => {
    const x = t => left + (t - begin) / (end - begin) * (W - left - right), steps = ticks(end - begin, Math.max(2, Math.floor(W / 130)));
    const drawing = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': `${title}. Arrow keys go from step to step; the table below has all of them.`, tabindex: '0' },
      steps.filter(v => v <= end - begin).map(v => [svg('line', { x1: x(begin + v), x2: x(begin + v), y1: 4, y2: 36, class: 'axis' }), svg('text', { x: x(begin + v), y: 50, 'text-anchor': v ? 'middle' : 'start' }, format(v))]),
      spans.map(s => svg('rect', { x: x(s.from).toFixed(1), y: 8 + (s.lane ?? 0) * 13, width: Math.max(1.5, x(s.to) - x(s.from)).toFixed(1), height: 11, rx: 1.5, class: s.class })),
      svg('line', { class: 'cursor', y1: 4, y2: 36, visibility: 'hidden' }));
    at.append(drawing);
    explore(at, W, drawing, spans.length, i => x((spans[i].from + spans[i].to) / 2), i => [h('b', null, named(spans[i].label)), h('br'), `${format(spans[i].to - spans[i].from)}, from ${format(spans[i].from - begin)}`], i => onpick?.(spans[i]));
  });
  box.style.setProperty('min-height', `${H}px`);
  return h('figure', { 'aria-label': title }, legend(series.filter(s => spans.some(p => p.class === s.class))), box,
    table(title, ['Step', 'Begins after', 'Takes'], spans.map(s => [named(s.label), format(s.from - begin), format(s.to - s.from)])));
}
