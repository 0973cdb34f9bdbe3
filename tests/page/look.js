/* look.js - what a careful person would find wrong with the view that is shown: names, roles,
 * headings, contrast, width.  look() gives a list of sentences; empty is good.
 *
 * Contrast is that of WCAG 2: 4.5 to 1 for text, 3 to 1 for large text; colours are taken as the
 * browser computed them, and what lies below a text is the nearest ground that is not transparent. */
function look() {
  const faults = [], say = (node, what) => faults.push(`${describe(node)}: ${what}`);
  const describe = n => `${n.tagName.toLowerCase()}${n.id ? '#' + n.id : ''}${n.classList?.length ? '.' + [...n.classList].join('.') : ''} ${JSON.stringify((n.textContent ?? '').trim().slice(0, 40))}`;
  const visible = n => n.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && n.getClientRects().length > 0;

  /* One main, one banner, named navigation, a title, a language, one first heading, no level skipped. */
  if (document.querySelectorAll('main').length !== 1) faults.push('there is not one main');
  if (!document.querySelector('header') || !document.querySelector('nav[aria-label]')) faults.push('a landmark is missing');
  if (!document.title || !document.documentElement.lang) faults.push('no title or no language');
  const heads = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(n => n.checkVisibility());
  const levels = heads.map(n => Number(n.getAttribute('aria-level') ?? n.tagName[1]));
  if (levels.filter(l => l === 1).length !== 1) faults.push(`there are ${levels.filter(l => l === 1).length} first headings`);

  const ids = [...document.querySelectorAll('[id]')].map(n => n.id);
  for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) faults.push(`the id ${id} is there twice`);
  for (const n of document.querySelectorAll('[aria-labelledby]')) if (!document.getElementById(n.getAttribute('aria-labelledby'))) say(n, 'is labelled by nothing');

  /* Everything that can be used has a name and can be reached. */
  const nameOf = n => (n.getAttribute('aria-label') ?? (n.getAttribute('aria-labelledby') && document.getElementById(n.getAttribute('aria-labelledby'))?.textContent)
    ?? [...(n.labels ?? [])].map(l => l.textContent).join(' ') ?? '').trim() || n.textContent.trim() || n.title;
  for (const n of document.querySelectorAll('button, a[href], input, select, textarea, [role=button], [tabindex="0"], summary')) {
    if (!visible(n)) continue;
    const named = n.matches('input, select, textarea') ? (n.getAttribute('aria-label') ?? [...(n.labels ?? [])].map(l => l.textContent).join(' ')).trim() : nameOf(n);
    if (!named) say(n, 'has no name');
    if (n.tabIndex < 0 && !n.closest('[tabindex="-1"]')) say(n, 'cannot be reached by keys');
    if (n.parentElement.closest('a[href], button')) say(n, 'stands in another thing to press');
  }
  for (const n of document.querySelectorAll('svg')) if (visible(n) && !n.closest('[aria-hidden=true]') && n.getAttribute('aria-hidden') !== 'true' && !n.getAttribute('aria-label')) say(n, 'a drawing without a name');
  for (const n of document.querySelectorAll('img')) if (!n.alt) say(n, 'an image without words');
  for (const n of document.querySelectorAll('ul, ol')) for (const kid of n.children) if (kid.tagName !== 'LI') say(n, `a list with a ${kid.tagName}`);
  for (const n of document.querySelectorAll('dl')) for (const kid of n.children) if (!/^D[TD]$/.test(kid.tagName)) say(n, `a list of facts with a ${kid.tagName}`);
  for (const n of document.querySelectorAll('th')) if (visible(n) && !n.scope && !n.closest('.md')) say(n, 'a head without a scope');
  const roles = new Set(['alert', 'group', 'img', 'meter', 'region', 'search', 'status']);
  for (const n of document.querySelectorAll('[role]')) if (!roles.has(n.getAttribute('role'))) say(n, `an unknown role ${n.getAttribute('role')}`);
  for (const n of document.querySelectorAll('[role=region]')) if (!n.getAttribute('aria-label')) say(n, 'a region without a name');
  /* What scrolls can be scrolled by keys. */
  for (const n of document.querySelectorAll('main *')) {
    const s = getComputedStyle(n);
    if (/(auto|scroll)/.test(s.overflowX + s.overflowY) && (n.scrollWidth > n.clientWidth + 1 || n.scrollHeight > n.clientHeight + 1) && visible(n) && n.tabIndex < 0 && !n.querySelector('a[href], button, input, [tabindex]') && n.tagName !== 'TEXTAREA') say(n, 'scrolls, but not by keys');
  }

  /* Contrast. */
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const cache = new Map();
  const rgba = c => {
    if (!cache.has(c)) { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; cache.set(c, [d[0], d[1], d[2], d[3] / 255]); }
    return cache.get(c);
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const ground = n => { const stack = []; for (let p = n; p; p = p.parentElement) { const c = rgba(getComputedStyle(p).backgroundColor); if (c[3] > 0) stack.push(c); if (c[3] === 1) break; } return stack.reverse().reduce((below, c) => over(c, below), [255, 255, 255, 1]); };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let t = walker.nextNode(), count = 0; t && count < 6000; t = walker.nextNode(), count++) {
    const n = t.parentElement;
    if (!t.data.trim() || seen.has(n) || !visible(n) || n.closest('noscript, script, style, svg, option, .unread, :disabled')) continue;
    seen.add(n);
    const s = getComputedStyle(n), px = parseFloat(s.fontSize);
    if (!px) continue;
    const wanted = px >= 24 || (px >= 18.66 && Number(s.fontWeight) >= 700) ? 3 : 4.5, below = ground(n), is = ratio(over(rgba(s.color), below), below);
    if (is < wanted) say(n, `contrast ${is.toFixed(2)}, ${wanted} is needed`);
  }
  /* What can be typed into or pressed has an edge of 3 to 1, or a ground of its own with text that has. */
  for (const n of document.querySelectorAll('input:not([type=range], [type=checkbox]), select, textarea')) {
    if (!visible(n) || n.id === 'query') continue;
    const is = ratio(over(rgba(getComputedStyle(n).borderTopColor), ground(n.parentElement)), ground(n.parentElement));
    if (is < 3) say(n, `its edge has contrast ${is.toFixed(2)}`);
  }
  /* Nothing is wider than the window. */
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  return [...new Set(faults)];
}
