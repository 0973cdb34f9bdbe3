/* list.js - a list of any length of which only the visible rows are in the document.
 *
 * Rows come page by page: `more()` fetches the next ones when the end comes near.  Every row has the
 * same height, so the place of each is known without it being there. */
import { h } from './base.js';

const HEIGHT = 48, SPARE = 8, NEAR = 60;

/* render(row, n) gives the element of a row, a link with data-row.  Returns {node, set(rows, all),
 * add(rows, all), draw(), reveal(n)}; `all` says that there are no more. */
export function longList({ label, render, more }) {
  const inner = h('ul', { 'aria-label': label });
  const node = h('div', { class: 'rows', 'data-list': true, tabindex: '-1' }, inner);
  const state = { rows: [], all: true, asking: false, from: 0, to: 0, at: -1 };
  const built = new Map(); /* number of the row -> its element */

  function draw() {
    const from = Math.max(0, Math.floor(node.scrollTop / HEIGHT) - SPARE);
    const end = Math.min(state.rows.length, Math.ceil((node.scrollTop + node.clientHeight) / HEIGHT) + SPARE);
    for (const [n, li] of built) if (n < from || n >= end) { li.remove(); built.delete(n); }
    for (let n = from; n < end; n++) {
      if (built.has(n)) continue;
      const li = h('li', { style: { '--n': n }, 'aria-setsize': state.all ? state.rows.length : -1, 'aria-posinset': n + 1 }, render(state.rows[n], n));
      built.set(n, li);
      const next = [...built.keys()].filter(k => k > n).sort((a, b) => a - b)[0];
      inner.insertBefore(li, next === undefined ? null : built.get(next));
    }
    if (!state.all && !state.asking && end + NEAR > state.rows.length) {
      state.asking = true;
      const had = state.rows.length;
      more().finally(() => { state.asking = false; if (state.rows.length > had) draw(); });
    }
  }
  function resize() { inner.style.setProperty('height', `${state.rows.length * HEIGHT}px`); }
  function clear() { for (const li of built.values()) li.remove(); built.clear(); }
  function reveal(n, { focus = false } = {}) {
    const top = n * HEIGHT;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + HEIGHT > node.scrollTop + node.clientHeight) node.scrollTop = top + HEIGHT - node.clientHeight;
    draw();
    if (focus) built.get(n)?.querySelector('[data-row]')?.focus({ preventScroll: true });
  }
  /* j and k: from the row with the focus, else from the chosen one. */
  node.move = step => {
    const has = [...built].find(([, li]) => li.contains(document.activeElement))?.[0];
    const chosen = state.rows.findIndex((r, n) => built.get(n)?.querySelector('[aria-current]'));
    const from = has ?? (chosen >= 0 ? chosen : step > 0 ? -1 : state.rows.length);
    const n = Math.max(0, Math.min(state.rows.length - 1, from + step));
    if (state.rows.length) reveal(n, { focus: true });
  };
  node.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(draw).observe(node);
  return {
    node, state,
    set(rows, all) {
      const focused = [...built].find(([, li]) => li.contains(document.activeElement))?.[0];
      state.rows = rows; state.all = all; clear(); resize(); draw();
      if (focused !== undefined) built.get(focused)?.querySelector('[data-row]')?.focus({ preventScroll: true });
    },
    add(rows, all) { state.rows = state.rows.concat(rows); state.all = all; resize(); draw(); },
    redraw() { clear(); draw(); }, reveal,
  };
}
