/* diff.js - two texts side by side or in one column, and who wrote each line.
 *
 * What differs is decided by the server, which sends a unified diff; here it is laid out.  Within a
 * pair of lines that replace each other, what lies between the common beginning and end is marked. */
import { h, shown, author, time, named, link, many } from './base.js';

/* A unified diff as hunks: [{head, lines: [{sign, was, is, text}]}]. */
export function parse(text) {
  const hunks = [];
  let hunk = null, was = 0, is = 0;
  for (const line of text.split('\n')) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (head) {
      was = Number(head[1]); is = Number(head[2]);
      hunks.push(hunk = { was, is, lines: [] });
    } else if (hunk && line.startsWith('\\')) hunk.lines.at(-1).open = true; /* no line break at the end */
    else if (hunk && line.startsWith('-')) hunk.lines.push({ sign: '-', was: was++, text: line.slice(1) });
    else if (hunk && line.startsWith('+')) hunk.lines.push({ sign: '+', is: is++, text: line.slice(1) });
    else if (hunk && line.startsWith(' ')) hunk.lines.push({ sign: ' ', was: was++, is: is++, text: line.slice(1) });
  }
  return hunks;
}

/* Lines that replace each other stand in pairs: [[removed or null, added or null]]; an unchanged one
 * is in both places. */
function pairs(lines) {
  const out = [];
  for (let i = 0; i < lines.length;) {
    if (lines[i].sign === ' ') { out.push([lines[i], lines[i]]); i++; continue; }
    const gone = [], came = [];
    for (; i < lines.length && lines[i].sign === '-'; i++) gone.push(lines[i]);
    for (; i < lines.length && lines[i].sign === '+'; i++) came.push(lines[i]);
    for (let k = 0; k < Math.max(gone.length, came.length); k++) {
      if (gone[k] && came[k]) { gone[k].other = came[k].text; came[k].other = gone[k].text; }
      out.push([gone[k] ?? null, came[k] ?? null]);
    }
  }
  return out;
}

const MARK_MAX = 5000; /* longer lines are shown without marks inside */
function marked(line, name) {
  const a = line.text, b = line.other;
  if (b === undefined || a.length > MARK_MAX || b.length > MARK_MAX) return shown(a);
  let from = 0, end = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  while (end < a.length - from && end < b.length - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  if (from + end < Math.min(a.length, b.length) * .2) return shown(a); /* they have little in common */
  return [shown(a.slice(0, from)), a.length - end > from ? h(name, null, shown(a.slice(from, a.length - end))) : null, shown(a.slice(a.length - end))];
}

const cells = line => {
  if (!line) return [h('td', { class: 'no none' }), h('td', { class: 'none' })];
  const kind = line.sign === '-' ? 'gone' : line.sign === '+' ? 'came' : '';
  const said = { '-': 'removed ', '+': 'added ' }[line.sign];
  return [h('td', { class: 'no' }, String(line.sign === '+' ? line.is : line.was)),
    h('td', { class: kind }, said ? h('span', { class: 'unread' }, said) : null, line.sign === ' ' ? shown(line.text) : marked(line, line.sign === '-' ? 'del' : 'ins'), line.open ? h('span', { class: 'muted' }, ' (no line break)') : null)];
};

/* mode: 'inline' or 'side'. */
export function diffTable(text, mode) {
  const hunks = parse(text), rows = [];
  if (!hunks.length) return h('p', { class: 'muted' }, 'The two texts are the same.');
  let before = 1;
  for (const hunk of hunks) {
    const skipped = hunk.was - before;
    if (skipped > 0) rows.push(h('tr', { class: 'hunk' }, h('td', { colspan: '4' }, `${many(skipped, 'line')} unchanged`)));
    for (const [gone, came] of pairs(hunk.lines)) {
      if (mode === 'side') rows.push(h('tr', null, gone?.sign === ' ' ? [h('td', { class: 'no' }, String(gone.was)), h('td', null, shown(gone.text)), h('td', { class: 'no' }, String(gone.is)), h('td', null, shown(gone.text))] : [cells(gone), cells(came)]));
    }
    if (mode !== 'side') for (const line of hunk.lines) {
      const kind = line.sign === '-' ? 'gone' : line.sign === '+' ? 'came' : '';
      const [, cell] = cells(line);
      rows.push(h('tr', null, h('td', { class: 'no' }, line.was ? String(line.was) : ''), h('td', { class: 'no' }, line.is ? String(line.is) : ''), h('td', { class: `sign ${kind}`, 'aria-hidden': 'true' }, line.sign === '-' ? '−' : line.sign.trim()), cell));
    }
    before = hunk.was + hunk.lines.filter(l => l.sign !== '+').length;
  }
  const columns = mode === 'side' ? ['no', '', 'no', ''] : ['no', 'no', 'sign', ''];
  return h('table', { class: `lines ${mode}` }, h('caption', { class: 'unread' }, 'What changed, line by line'), h('colgroup', null, columns.map(c => h('col', { class: c }))), h('tbody', null, rows));
}

/* Who wrote each line: a name where it is another one than above. */
export function blameTable(lines, parts) {
  let before = null;
  const rows = lines.map(l => {
    const first = before !== l.seq;
    before = l.seq;
    return h('tr', { class: first ? 'first' : '' },
      h('td', { class: 'who' }, first ? h('a', { href: link(parts, { v: l.seq || undefined, show: 'diff' }), title: `version ${named(l.version ?? '')}` }, author(l.by), time(l.at)) : null),
      h('td', { class: 'no' }, String(l.line)), h('td', null, shown(typeof l.text === 'string' ? l.text : '')));
  });
  return h('table', { class: 'lines blame' }, h('caption', { class: 'unread' }, 'Who wrote each line'), h('colgroup', null, ['who', 'no', ''].map(c => h('col', { class: c }))), h('tbody', null, rows));
}
