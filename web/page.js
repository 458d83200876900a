/**
 * The page: rooms, tasks by status, requests and sessions, kept up to date by server-sent events.
 * It holds the state of each channel, applies changes to it, and draws the page again.
 * Everything from files goes in as text, never as markup.
 */
// Line ends and tabs stay: a request is read over several lines.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu
const ORDER = ['in_progress', 'review', 'blocked', 'pending', 'failed', 'draft', 'completed', 'cancelled']
/** Shown at once; the ended ones are behind a line to open. */
const OPEN = new Set(['in_progress', 'review', 'blocked', 'pending', 'failed'])
const MOST_ROOMS = 60
const MOST_TASKS = 50
const HEALTH_MS = 30_000

const states = new Map()
const line = document.getElementById('line')
/** What people have typed and opened outlives a redraw. */
const typed = new Map()
const opened = new Set()
const busy = new Map()
let stream = null
let following = ''
let drawing = false

document.getElementById('sign-out').addEventListener('click', async () => {
  await fetch('/sign-out', { method: 'POST' }).catch(() => {})
  location.replace('/')
})
follow()
void showHealth()
setInterval(showHealth, HEALTH_MS)

/** Members have no access to it and see nothing. */
async function showHealth() {
  const found = await rpc('status.global', {}).catch(() => null)
  const rows = (found?.health ?? []).map(({ part, state, says }) =>
    el('p', { class: state === 'ok' ? 'soft' : '', 'data-health': state }, `${part}: ${says}`),
  )
  put('health', rows, 'Unknown.')
}

void tellWho()

/** Members see who they are signed in as. */
async function tellWho() {
  const answer = await fetch('/me').catch(() => null)
  const who = answer?.ok ? await answer.json() : {}
  if (who.kind === 'member') document.getElementById('who').textContent = who.id
}

/** Opens one stream for all channels that matter now. */
function follow() {
  const rooms = roomList()
    .filter(({ status }) => status !== 'archived')
    .slice(0, MOST_ROOMS)
  const channels = ['lobby:rooms', 'asks', ...rooms.map(({ id }) => `room:${id}:state`)]
  const query = channels.map((channel) => `channel=${encodeURIComponent(channel)}`).join('&')
  if (query === following && stream !== null && stream.readyState !== EventSource.CLOSED) return
  following = query
  stream?.close()
  stream = new EventSource(`/events?${query}`)
  const own = stream
  own.addEventListener('open', () => say('live', 'live'))
  own.addEventListener('event', (event) => take(JSON.parse(event.data)))
  own.addEventListener('error', () => lost(own))
}

/** The browser connects again by itself, unless it was refused. */
async function lost(own) {
  if (own !== stream) return
  say('lost', "Can't reach Neo; trying again…")
  if (own.readyState !== EventSource.CLOSED) return
  setTimeout(async () => {
    if (own !== stream) return
    try {
      const answer = await fetch('/me', { cache: 'no-store' })
      if (answer.status === 401) return say('lost', 'Signed out. Run neo open in a terminal to sign in.')
      // A room may be gone: without its channel the stream opens.
      states.clear()
    } catch {
      // Still unreachable.
    }
    following = ''
    follow()
  }, 2_000)
}

function say(state, text) {
  line.dataset.state = state
  line.textContent = text
}

function take({ channel, data }) {
  if ('snapshot' in data) states.set(channel, data.snapshot)
  else if ('ended' in data) states.delete(channel)
  else apply(states.get(channel) ?? {}, data.change)
  if (channel === 'lobby:rooms') follow()
  if (drawing) return
  drawing = true
  requestAnimationFrame(() => {
    drawing = false
    draw()
  })
}

/** A change is `{set: {section: {id: item}}, gone: {section: [id]}}`. */
function apply(state, { set, gone }) {
  for (const [section, items] of Object.entries(set)) state[section] = { ...state[section], ...items }
  for (const [section, ids] of Object.entries(gone)) for (const id of ids) delete state[section]?.[id]
}

function roomList() {
  return Object.values(states.get('lobby:rooms')?.rooms ?? {})
}

function draw() {
  const asks = Object.values(states.get('asks')?.asks ?? {})
  const rooms = roomList()
  const sessions = rooms.flatMap(({ id, name }) =>
    Object.values(states.get(`room:${id}:state`)?.sessions ?? {})
      .filter(({ state }) => state !== 'ended')
      .map((session) => ({ ...session, room: name })),
  )
  const needs = rooms.flatMap(({ id, name }) =>
    Object.values(states.get(`room:${id}:state`)?.tasks ?? {}).flatMap((task) => needOf(task, name)),
  )
  const count = asks.length + needs.length
  document.title = count === 0 ? 'Neo Rooms' : `(${count}) Neo Rooms`
  put('asks', [...asks.map(askCard), ...needs], 'Nothing needs you.')
  put('sessions', sessions.map(sessionCard), 'Nothing is running.')
  put('rooms', rooms.map(roomCard), 'No rooms yet. Run neo room new NAME to create one.')
}

/** Keeps what has the focus where it is, so that nobody types into nothing. */
function put(id, cards, otherwise) {
  const place = document.getElementById(id)
  const key = document.activeElement?.dataset?.key
  const from = document.activeElement?.selectionStart ?? null
  const scrolled = window.scrollY
  const inside = place.contains(document.activeElement)
  place.replaceChildren(...(cards.length === 0 ? [el('p', { class: 'soft' }, otherwise)] : cards))
  if (!inside || key === undefined) return
  const again = [...place.querySelectorAll('[data-key]')].find((one) => one.dataset.key === key)
  again?.focus({ preventScroll: true })
  if (from !== null && again !== undefined && 'setSelectionRange' in again)
    again.setSelectionRange(from, from)
  window.scrollTo(0, scrolled)
}

/** Failures older than this are history. */
const RECENT_MS = 7 * 86_400_000

/** A task that waits for a person, as `neo status` lists them; none if a request waits instead. */
function needOf(task, room) {
  const words = needWords(task)
  if (words === null) return []
  const [what, next] = words
  return [
    el('article', { class: 'card need' }, [
      el('div', { class: 'head' }, [el('h3', {}, task.title), el('span', { class: 'soft' }, `${room} · ${what}`)]),
      task.error === null ? null : el('p', {}, firstLine(task.error)),
      next === '' ? null : el('p', { class: 'soft' }, next),
    ]),
  ]
}

function needWords({ status, sessionId, blocked, completedAt, roomId, name }) {
  const task = `${roomId}/${name}`
  switch (status) {
    case 'review':
      return ['review', `neo review diff ${task}, then accept or reject`]
    case 'in_progress':
      return sessionId === null ? ['assigned to you', `neo task done ${task}`] : null
    case 'blocked':
      if (blocked === 'ask' || blocked === 'interrupted') return null
      return ['blocked', blocked === null ? `neo task start ${task}` : `clears by itself (${blocked})`]
    case 'failed':
      return Date.now() - Date.parse(completedAt ?? '') < RECENT_MS ? ['failed', `neo task retry ${task}`] : null
    default:
      return null
  }
}

/** Without the hint on how to decide in the file: there are buttons. */
function askText({ body }) {
  return body.replace(/^Set `decision: approved` or [^\n]*\n*/, '').trim()
}

function askCard(ask) {
  const what = ask.kind === 'question' ? ask.reason || 'A question' : ask.reason || ask.action.tool
  const asked = JSON.stringify(ask.action.arguments, null, 2)
  const said = busy.get(ask.id)
  return el('article', { class: 'card ask' }, [
    el('div', { class: 'head' }, [
      el('h3', {}, what),
      el('span', { class: 'soft' }, `${ask.roomId} · ${ask.id}`),
    ]),
    askText(ask) === '' ? null : el('pre', {}, askText(ask)),
    ask.kind === 'question' || asked === '{}' ? null : el('pre', {}, `${ask.action.tool}\n${asked}`),
    ask.action.files.length === 0
      ? null
      : el('p', { class: 'soft' }, `Files: ${ask.action.files.join(', ')}`),
    ask.expiresAt === null ? null : el('p', { class: 'soft' }, `Until ${timeText(ask.expiresAt)}`),
    el('div', { class: 'row' }, ask.kind === 'question' ? answerBox(ask) : approveButtons(ask)),
    said === undefined || said === '' ? null : el('p', { role: 'alert' }, said),
  ])
}

function approveButtons(ask) {
  return [
    button({ key: `${ask.id}-approve`, class: 'good', of: ask.id }, 'Approve', () => decide(ask, 'approved')),
    button({ key: `${ask.id}-deny`, class: 'bad', of: ask.id }, 'Deny', () => decide(ask, 'denied')),
  ]
}

function answerBox(ask) {
  const box = el('textarea', {
    'data-key': `${ask.id}-text`,
    'aria-label': 'Your answer',
    placeholder: 'Your answer',
  })
  box.value = typed.get(ask.id) ?? ''
  box.addEventListener('input', () => typed.set(ask.id, box.value))
  const send = () => {
    const answer = (typed.get(ask.id) ?? '').trim()
    if (answer === '') return box.focus()
    void decide(ask, 'answered', answer)
  }
  return [box, button({ key: `${ask.id}-answer`, class: 'good', of: ask.id }, 'Answer', send)]
}

async function decide(ask, decision, answer) {
  busy.set(ask.id, '')
  draw()
  const params = { askId: ask.id, decision, ...(answer === undefined ? {} : { answer }) }
  try {
    await rpc('ask.decide', params)
    typed.delete(ask.id)
    busy.set(ask.id, '')
  } catch (error) {
    busy.set(ask.id, error.message)
  }
  draw()
}

async function rpc(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch('/rpc', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
  if (answer.status === 401) throw new Error('Signed out. Run neo open in a terminal to sign in.')
  const { result, error } = await answer.json()
  if (error !== undefined) throw new Error(error.message)
  return result
}

function sessionCard(session) {
  return el('article', { class: 'card' }, [
    el('div', { class: 'head' }, [
      el('h3', {}, session.title ?? session.taskId),
      el('span', { class: 'soft' }, `${session.room} · ${session.worker} · ${session.id}`),
    ]),
    session.status === 'waiting_for_input' ? el('p', { class: 'soft' }, 'waiting for you') : null,
    session.state === 'live' ? null : el('p', { class: 'soft' }, session.state),
  ])
}

function roomCard(room) {
  const state = states.get(`room:${room.id}:state`)
  const tasks = Object.values(state?.tasks ?? {})
  const counts = ORDER.filter((status) => room.tasks[status] > 0)
  return el('article', { class: 'card' }, [
    el('div', { class: 'head' }, [
      el('h3', {}, room.name),
      el(
        'span',
        { class: 'soft' },
        [room.id === room.name.toLowerCase() ? '' : room.id, room.status === 'active' ? '' : room.status]
          .filter(Boolean)
          .join(' · '),
      ),
    ]),
    room.description === '' ? null : el('p', { class: 'soft' }, room.description),
    counts.length === 0
      ? el('p', { class: 'soft' }, 'No tasks.')
      : el(
          'ul',
          { class: 'counts' },
          counts.map((status) => el('li', {}, `${room.tasks[status]} ${words(status)}`)),
        ),
    ...ORDER.map((status) => taskGroup(room.id, status, tasks)),
  ])
}

function taskGroup(room, status, all) {
  const tasks = all.filter((task) => task.status === status)
  if (tasks.length === 0) return null
  const key = `${room} ${status}`
  const known = opened.has(key) || opened.has(`closed ${key}`)
  const group = el(
    'details',
    known ? (opened.has(key) ? { open: '' } : {}) : OPEN.has(status) ? { open: '' } : {},
    [
      el('summary', { 'data-key': key }, [
        el('span', { class: 'status', 'data-status': status }, `${words(status)} (${tasks.length})`),
      ]),
      el('ul', { class: 'tasks' }, tasks.slice(0, MOST_TASKS).map(taskLine)),
      tasks.length > MOST_TASKS ? el('p', { class: 'soft' }, `and ${tasks.length - MOST_TASKS} more`) : null,
    ],
  )
  group.addEventListener('toggle', () => {
    opened.delete(key)
    opened.delete(`closed ${key}`)
    opened.add(group.open ? key : `closed ${key}`)
  })
  return group
}

function taskLine(task) {
  const note = task.error ?? task.currentStep ?? task.result ?? ''
  return el('li', {}, [
    el('div', {}, task.title),
    el(
      'div',
      { class: 'soft' },
      [task.name, task.worker, note === '' ? null : firstLine(note)].filter(Boolean).join(' · '),
    ),
  ])
}

function button({ key, class: style, of }, text, act) {
  const made = el('button', { type: 'button', class: style, 'data-key': key }, text)
  made.disabled = busy.get(of) === ''
  made.addEventListener('click', act)
  return made
}

function el(name, attributes = {}, inside = []) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  for (const one of [inside].flat())
    if (one !== null) made.append(typeof one === 'string' ? visible(one) : one)
  return made
}

/** Control and direction marks as escapes, as the CLI shows them: you decide about what you see. */
function visible(text) {
  return text.replace(HIDDEN, (found) => {
    const code = found.codePointAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

function words(status) {
  return status.replaceAll('_', ' ')
}

function firstLine(text) {
  const [first = ''] = text.trim().split('\n')
  return first.length > 200 ? `${first.slice(0, 200)}…` : first
}

function timeText(iso) {
  return new Date(iso).toLocaleString()
}
