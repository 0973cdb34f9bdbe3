/* base.js - what every view stands on: elements, words for numbers and times, what the browser
 * keeps, addresses, and the server.
 *
 * Everything that comes from a pad is data.  It gets into the document as text (h, shown) and in no
 * other way; the one exception is Markdown that the server rendered, which note.js copies element by
 * element from an allow-list. */

/* --- Elements --------------------------------------------------------------------------------- */

const SVG = 'http://www.w3.org/2000/svg';

function build(node, props, kids) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.setAttribute('class', value);
    else if (name === 'style') for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'hidden') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  add(node, kids);
  return node;
}

/* h('p', {class: 'hint'}, 'text', node, [more]): an element.  Strings become text, never markup. */
export const h = (tag, props, ...kids) => build(document.createElement(tag), props, kids);
export const svg = (tag, props, ...kids) => build(document.createElementNS(SVG, tag), props, kids);

export function add(node, kids) {
  for (const kid of [kids].flat(Infinity))
    if (kid !== null && kid !== undefined && kid !== false) node.append(kid);
  return node;
}
export const fill = (node, ...kids) => { node.replaceChildren(); return add(node, kids); };
export const $ = id => document.getElementById(id);

/* What is in a text and cannot be seen, or would move what stands around it: controls, overrides of
 * direction, invisible and tag characters.  Line breaks and tabs are texts' own. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const hex = c => c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');

/* A text as nodes: each unseen character is in a box that shows its number and contains what it
 * does; what is selected and copied is still the text, character by character. */
export function shown(text) {
  const out = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    out.append(text.slice(from, found.index));
    out.append(h('span', { class: 'unseen', 'data-code': hex(found[0]) }, found[0]));
    from = found.index + found[0].length;
  }
  out.append(text.slice(from));
  return out;
}
/* The same as one string on one line, for names, titles and attributes. */
export const named = text => String(text ?? '').replace(/[\n\t]+/g, ' ').replace(UNSEEN, c => `\\u{${hex(c)}}`);

/* A text that is no UTF-8 comes as {base64}. */
export const plain = value => typeof value === 'string' ? value
  : value?.base64 !== undefined ? atob(value.base64) : value === null || value === undefined ? '' : JSON.stringify(value, null, 2);

/* --- Words ------------------------------------------------------------------------------------ */

export const number = n => Number(n ?? 0).toLocaleString('en-US');
export const many = (n, one, more = one + 's') => `${number(n)} ${n === 1 ? one : more}`;
export const size = n => n < 1000 ? `${n} B` : n < 999500 ? `${(n / 1e3).toPrecision(3)} kB`
  : n < 999.5e6 ? `${(n / 1e6).toPrecision(3)} MB` : `${(n / 1e9).toPrecision(3)} GB`;
export const short = n => n < 1000 ? String(Math.round(n)) : n < 999500 ? `${+(n / 1e3).toPrecision(3)}k` : `${+(n / 1e6).toPrecision(3)}M`;
export function lasting(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000), min = Math.round(s / 60);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return s < 86400 ? `${Math.floor(min / 60)} h ${min % 60} min` : many(Math.round(s / 86400), 'day');
}

const DAY = 86400e3;
const two = n => String(n).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const clock = d => `${two(d.getHours())}:${two(d.getMinutes())}`;
export const day = d => `${d.getDate()} ${MONTHS[d.getMonth()]} ${d.getFullYear()}`;
export const moment = at => { const d = new Date(at); return `${day(d)}, ${clock(d)}:${two(d.getSeconds())}`; };
export function ago(at, now = Date.now()) {
  const then = new Date(at), s = (now - then) / 1000;
  if (!(s >= -60)) return moment(at);
  if (s < 10) return 'just now';
  if (s < 60) return `${Math.floor(s)} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  return s < 7 * 86400 ? `${Math.floor(s / 86400)} d ago` : day(then);
}
/* A moment as people read it; exact on hover and for machines; kept fresh by app.js. */
export const time = at => at ? h('time', { datetime: at, title: `${moment(at)} (${at})` }, ago(at)) : h('span', { class: 'muted' }, 'not recorded yet');
export function freshen() {
  for (const t of document.querySelectorAll('time[datetime]')) {
    const text = ago(t.getAttribute('datetime'));
    if (t.textContent !== text) t.textContent = text;
  }
}
export const today = at => Date.now() - new Date(at) < DAY;

/* The colour of a name: by its hash, or the next turn of the golden angle that is not too near to another name's.
 * The browser keeps them, so that a name has its colour tomorrow, too. */
const hues = new Map();
function hueOf(name) {
  if (!hues.size) for (const [n, hue] of kept.get('hues', [])) hues.set(n, hue);
  if (hues.has(name)) return hues.get(name);
  let hash = 2166136261; /* FNV-1a */
  for (const c of name) hash = Math.imul(hash ^ c.codePointAt(0), 16777619) >>> 0;
  const apart = Math.min(30, 150 / (hues.size + 1)), near = (a, b) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b)) < apart;
  let hue = hash % 360;
  for (let i = 0; i < 24 && [...hues.values()].some(other => near(hue, other)); i++) hue = Math.round(hue + 137.5) % 360;
  if (hues.size < 500) { hues.set(name, hue); kept.set('hues', [...hues]); }
  return hue;
}
/* Who: a name with a dot whose colour is always the same for the same name. */
export function author(by) {
  const name = by === 'outside' ? 'edited by hand' : by || 'unknown';
  return h('span', { class: 'by' }, h('i', { 'aria-hidden': 'true', style: { '--hue': hueOf(name) } }), named(name));
}
export const tag = (word, kind = word) => h('span', { class: `tag k-${kind.replace(/[^a-z_]/g, '')}` }, word);
export const key = k => h('kbd', null, k);
export const code = text => h('code', null, named(text));

/* A command to type, with a button that copies it. */
/* As one word of a shell: names may be an agent's, and a command is there to be pasted. */
export const shellWord = name => (/^[\w/.:@%+=,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
export function command(text) {
  return h('span', { class: 'command' }, h('code', null, named(text)),
    h('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${named(text)}`, onclick: () => copy(text) }, 'Copy'));
}
export async function copy(text) {
  try { await navigator.clipboard.writeText(text); say('Copied'); }
  catch { say('The browser did not allow copying: select the text instead'); }
}
/* One sentence for the person, read out as well; a link or a button may follow it. */
let saying;
export function say(text, ...more) {
  clearTimeout(saying);
  fill($('say'), h('p', null, text, more.length ? [' ', ...more] : null));
  saying = setTimeout(() => fill($('say')), more.length ? 12000 : 5000);
}
export const empty = (title, ...more) => h('div', { class: 'empty' }, h('p', { class: 'lead' }, title), more.map(m => h('p', null, m)));

/* --- What the browser keeps ------------------------------------------------------------------- */

/* localStorage, which may be full or forbidden: the page works without it. */
export const kept = {
  get(name, other = null) { try { return JSON.parse(localStorage.getItem(`jotter.${name}`)) ?? other; } catch { return other; } },
  set(name, value) { try { localStorage.setItem(`jotter.${name}`, JSON.stringify(value)); return true; } catch { return false; } },
  drop(name) { try { localStorage.removeItem(`jotter.${name}`); } catch { /* it was not there */ } },
  names(prefix) { try { return Object.keys(localStorage).filter(n => n.startsWith(`jotter.${prefix}`)).map(n => n.slice(7)); } catch { return []; } },
};

/* What waits for a person and was put aside.  It comes back when it changes: it is known by its pad, its
 * name and its text or time. */
export const aside = {
  mark: item => `${padHere()} ${item.what} ${item.name} ${item.sha256 ?? item.at ?? ''}`,
  has: item => kept.get('aside', []).includes(aside.mark(item)),
  put(item) { kept.set('aside', [...kept.get('aside', []), aside.mark(item)].slice(-500)); },
  take(item) { kept.set('aside', kept.get('aside', []).filter(m => m !== aside.mark(item))); },
};

/* --- Addresses -------------------------------------------------------------------------------- */

/* The pad of an address that names none: the first one that was served when the page was loaded.  Every
 * question names its pad, and what the browser keeps of it stands under its id: a server that was started
 * at the same address for another pad refuses, and is not told what was meant for this one. */
export const first = { pad: undefined };
export const padHere = () => address().params.pad ?? first.pad ?? '';

/* #/notes/plan?v=3&at=2026-11-18: a path, and what is chosen there.  `at` (time travel) and `pad`
 * go along with every link until they are taken away. */
export function address(hash = location.hash) {
  const [path, query] = hash.replace(/^#/, '').split('?');
  const params = Object.fromEntries(new URLSearchParams(query ?? ''));
  let parts;
  try { parts = path.split('/').filter(Boolean).map(decodeURIComponent); } catch { parts = []; }
  return { parts, params };
}
export function link(parts, params = {}) {
  const now = address().params, all = { at: now.at, pad: now.pad, ...params };
  const query = new URLSearchParams(Object.entries(all).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false));
  const text = query.toString();
  return '#/' + parts.map(encodeURIComponent).join('/') + (text ? '?' + text : '');
}
export function go(parts, params, { replace = false } = {}) {
  const to = link(parts, params);
  if (to === location.hash) return;
  if (replace) history.replaceState(null, '', to); else history.pushState(null, '', to);
  dispatchEvent(new Event('jotter-go'));
}
/* Change what is chosen here, without a new entry for the back button unless it is asked for. */
export const choose = (changes, options = { replace: true }) => {
  const { parts, params } = address();
  go(parts, { ...params, ...changes }, options);
};
/* Where a stream is shown. */
export function place(stream, more) {
  const [kind, ...rest] = stream.split('/');
  if (kind === 'notes') return link(['notes', rest.join('/')], more);
  if (kind === 'runs') return link(['runs', rest.join('/')], more);
  if (kind === 'tasks') return link(['tasks', rest[0]], more);
  if (kind === 'plans') return link(['plans', rest.join('/')], more);
  if (kind === 'memories' || kind === 'artifacts') return link([kind, rest.join('/')], more);
  if (kind === 'cycles') return link(['cycles', rest[0]], more);
  return null;
}
/* notes/plan is called plan; everything else has its whole name. */
export const called = stream => stream.startsWith('notes/') ? stream.slice(6) : stream;
export const to = (stream, text = called(stream), more = {}) => {
  const where = place(stream, more);
  return where ? h('a', { href: where }, named(text)) : h('span', null, named(text));
};

/* --- The server ------------------------------------------------------------------------------- */

/* A refusal, or a server that does not answer (status `offline`).  `data` is all of the answer. */
export class Refusal extends Error {
  constructor(status, sentence, data) { super(sentence); this.status = status; this.data = data ?? {}; }
}

/* The token comes once, after the # of the link that `jotter serve` prints.  It is taken out of the
 * address bar, stays in this browser, and goes out in one header only. */
export const token = {
  take() {
    const found = /(?:^#|&)token=([A-Za-z0-9_.~-]+)/.exec(location.hash);
    if (!found) return;
    kept.set('token', found[1]);
    this.value = found[1];
    const goes = /&to=([^&]*)/.exec(location.hash);
    let path = '/';
    try { if (goes) path = decodeURIComponent(goes[1]); } catch { /* to the first page then */ }
    history.replaceState(null, '', '#' + (path.startsWith('/') ? path : '/'));
  },
  value: null,
  get header() { this.value ??= kept.get('token'); return this.value ? { Authorization: `Bearer ${this.value}` } : {}; },
};

/* What is about the present only; everything else that is read is read as of the moment in the address. */
const PRESENT = /^(pads|pad\/(follow|now|waiting|status|search|context|stats|verify|where|gc)|lease\/.*|rules\/.*)$/;

async function ask(method, path, params, body, more = {}) {
  const all = { ...address().params, ...params }, at = method === 'GET' && !PRESENT.test(path) ? all.at : undefined;
  const query = new URLSearchParams(Object.entries({ ...params, pad: path === 'pads' ? undefined : all.pad ?? first.pad, at }).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false)).toString();
  let reply;
  try {
    reply = await fetch(`/api/v1/${path}${query ? '?' + query : ''}`, {
      method, cache: 'no-store', signal: more.signal,
      headers: { ...token.header, Accept: more.accept ?? 'application/json', ...(body !== undefined ? { 'Content-Type': 'application/json' } : {}), ...more.headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    live.lost();
    throw new Refusal('offline', 'the server does not answer: it may be restarting');
  }
  if (reply.ok && more.stream) return reply;
  let data;
  try { data = await reply.json(); }
  catch (e) { if (e.name === 'AbortError') throw e; data = { status: 'io', error: `the server answered ${reply.status} with something that is no JSON` }; }
  if (reply.ok) return data;
  if (reply.status === 401) { data.status = 'token'; dispatchEvent(new Event('jotter-token')); }
  if (reply.status === 404 && /^there is no such pad/.test(data.error)) { data.status = 'pad'; data.error = 'this pad is not served here any more: the server was started again for another one'; }
  throw new Refusal(data.status ?? String(reply.status), data.error ?? `the server answered ${reply.status}`, data.data);
}
/* Read: get('note/read', {key: 'plan'}).  Change: post('note/write', {...}). */
export const get = (path, params, more) => ask('GET', path, params, undefined, more);
export const post = (path, body, params) => ask('POST', path, params ?? {}, body ?? {});

/* --- What changes ----------------------------------------------------------------------------- */

/* One stream of events for all tabs of a browser that look at the same pad, because a browser has six
 * connections to a server and no more.  The tab that has the lock of the pad leads: it has the stream, and hands
 * on what it hears.  When it goes, the next one gets the lock; when it falls silent, the lock is taken from it.
 * Where there are no locks (http to a name that is not this machine's) each tab has a stream of its own.
 *
 * The state is `on`, `off` (the server is gone, and asked for again every few seconds), `pad` (it serves other
 * pads now) or `no` (never there yet).  Listeners get each change; after a pause they get null, which says:
 * anything may have changed. */
export const live = {
  state: 'no', listeners: new Set(), wait: 500, stop: null, pad: undefined, channel: null,
  leads: false, steal: false, turned: false,
  silence: 45000, dog: 0, /* the server says something every 15 s: after this long nobody is there, whatever the connection says */
  watch() { clearTimeout(this.dog); this.dog = setTimeout(() => { this.steal = !this.leads; this.stop?.abort(); }, this.silence); },
  /* Another pad was chosen: its changes are followed from now on. */
  turn(pad) { if (this.pad !== pad) { this.pad = pad; this.wait = 0; this.turned = true; this.stop?.abort(); } },
  tell(change) { for (const f of [...this.listeners]) f(change); },
  set(state) {
    if (this.state === state) return;
    this.state = state;
    dispatchEvent(new Event('jotter-live'));
  },
  lost() { if (this.state === 'on') { this.set('off'); this.stop?.abort(); } },
  async follow() {
    for (;;) {
      const { signal } = this.stop = new AbortController(), name = `jotter ${padHere()}`, locks = window.BroadcastChannel ? navigator.locks : null;
      let failed = 'off';
      this.pad = address().params.pad;
      this.watch();
      this.channel = locks ? new BroadcastChannel(name) : null;
      if (this.channel) this.channel.onmessage = e => this.hear(e.data);
      this.channel?.postMessage({ asks: true });
      try {
        const take = this.steal ? { steal: true } : { signal };
        this.steal = false;
        await (locks ? locks.request(name, take, () => this.lead(signal)) : this.lead(signal));
      } catch (e) {
        if (e instanceof Refusal && (e.status === 'token' || e.status === 'pad')) failed = e.status;
      }
      this.stop.abort(); /* a stream whose lock was taken */
      if (failed === 'token') { this.set('no'); return; }
      if (this.wait && this.state !== 'no') {
        if (this.leads) this.channel?.postMessage({ state: failed });
        this.set(failed);
      }
      this.leads = false;
      this.channel?.close();
      await new Promise(done => setTimeout(done, this.wait));
      this.wait = Math.min(this.wait * 1.5, 5000) || 500;
    }
  },
  async lead(signal) {
    this.leads = true;
    const reply = await ask('GET', 'pad/follow', {}, undefined, { stream: true, accept: 'text/event-stream', signal });
    this.wait = 500;
    this.share({ state: 'on' });
    await this.read(reply.body.getReader());
  },
  share(said) { this.channel?.postMessage(said); this.hear(said); },
  /* From the tab that leads, which may be this one: that it has the stream, or has lost it; an event; or only
   * that it is there.  Or from another one, which asks whether there is a stream. */
  hear(said) {
    if (said.asks) { if (this.leads && this.state === 'on') this.channel.postMessage({ state: 'on', again: true }); return; }
    this.watch();
    if (said.event) this.take(said.event);
    if (!said.state) return;
    const was = this.state, knows = was === 'no' || (was === 'on' && said.again && !this.turned);
    if (was !== 'no' || said.state === 'on') this.set(said.state);
    if (said.state !== 'on') return;
    this.turned = false;
    if (!knows) this.tell(null); /* what was missed meanwhile, also between the view of another pad and its stream */
  },
  async read(reader) {
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.share({});
      text += decoder.decode(value, { stream: true });
      const events = text.split(/\r?\n\r?\n/);
      text = events.pop();
      for (const event of events) this.share({ event });
    }
  },
  take(event) {
    const data = event.split(/\r?\n/).filter(l => l.startsWith('data:')).map(l => l.slice(5).trimStart()).join('\n');
    if (!data) return;
    let change = null;
    try { change = JSON.parse(data); } catch { /* then anything may have changed */ }
    if (change?.event === 'hello') {
      if (this.server && this.server !== change.server) dispatchEvent(new Event('jotter-server'));
      this.server = change.server;
      this.tell(null); /* what changes from now on is heard; what changed before may have been missed */
    } else {
      this.tell(change?.event === 'change' && !change.relisted ? change : null);
    }
  },
};

/* Call f a little after the last of several quick calls, with what the last one said; soon after the first one, if
 * they do not end; and never while it is still at work. */
export function later(f, ms = 150) {
  let timer, since = 0, busy = false, args;
  const run = async () => {
    if (busy) { timer = setTimeout(run, ms); return; }
    since = 0;
    busy = true;
    try { await f(...args); } finally { busy = false; }
  };
  return (...now) => {
    args = now;
    since ||= performance.now();
    clearTimeout(timer);
    timer = setTimeout(run, Math.max(0, Math.min(ms, since + Math.max(1000, 4 * ms) - performance.now())));
  };
}
/* For changes of streams that `mine` takes, and where anything may have changed. */
export const when = (mine, f) => change => { if (!change || mine(change.stream)) f(change); };
