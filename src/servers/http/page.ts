/**
 * The page, its files, and signing in to it. Invariant 1: without a sign-in, you get the sign-in page, its script, looks
 * and icon, which hold nothing of the home. Invariant 2: a code goes in by a body, never by the path or the query.
 */
import { mapIn } from '../../domain/text/is-map.ts'
import type { Credentials } from '../shared/credentials.ts'
import { jsonReply, PAGE_HEADERS, type Reply, refusalReply } from '../shared/http-reply.ts'
import { type Route, readJsonBody, whoIs } from './app.ts'

/** Text of a file of web/ by its name. */
export type WebFile = (name: string) => string

export function pageRoutes(file: WebFile, credentials: Credentials): readonly Route[] {
  const page = (name: string, status = 200): Reply => fileReply(file(name), 'text/html', status)
  const known = { verb: 'GET', who: 'known' } as const
  const anyone = { verb: 'GET', who: 'anyone' } as const
  return [
    ...ADDRESSES.map(
      (path): Route => ({
        ...anyone,
        path,
        answer: ({ credential }) => (credential === null ? page('sign-in.html', 401) : page('index.html')),
      }),
    ),
    { ...anyone, path: '/sign-in', answer: () => page('sign-in.html') },
    {
      ...anyone,
      path: '/assets/:name',
      answer: ({ param, credential }) => asset(file, param('name'), credential !== null),
    },
    {
      ...anyone,
      path: '/manifest.webmanifest',
      answer: () => fileReply(file('manifest.webmanifest'), 'application/manifest+json'),
    },
    { ...known, path: '/me', answer: ({ credential }) => jsonReply(whoIs(credential)) },
    ...['icon.svg', 'icon-needs-you.svg'].map(
      (name): Route => ({
        ...anyone,
        path: `/${name}`,
        answer: () => fileReply(file(name), 'image/svg+xml'),
      }),
    ),
    {
      verb: 'POST',
      path: '/codes',
      who: 'token',
      answer: ({ credential }) => jsonReply({ code: credentials.code(credential ?? undefined) }),
    },
    signIn(credentials),
    {
      verb: 'POST',
      path: '/sign-out',
      who: 'known',
      answer: ({ head }) => ({
        status: 204,
        text: '',
        headers: { 'Set-Cookie': credentials.signOut((name) => head.header(name)) },
      }),
    },
    {
      verb: 'POST',
      path: '/sign-out-others',
      who: 'known',
      answer: ({ credential }) =>
        jsonReply({ ended: credential === null ? 0 : credentials.endOthers(credential) }),
    },
  ]
}

/** The page shows that there is no such view. */
export function missingPage(file: WebFile): Reply {
  return fileReply(file('index.html'), 'text/html', 404)
}

/** The addresses of the page's views; page/store/routes.ts reads them. */
const ADDRESSES = [
  '/',
  ...['rooms', 'schedules', 'memory', 'agents', 'activity', 'settings', 'chat'].map((view) => `/${view}`),
  ...['room', 'task', 'session', 'review', 'request', 'commit', 'chat', 'file', 'settings', 'activity'].map(
    (view) => `/${view}/*`,
  ),
]

const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' }

/** Who isn't signed in gets what the sign-in page needs, and can't find out which other files there are. */
function asset(file: WebFile, name: string, isKnown: boolean): Reply {
  const [, type = ''] = /^[\w.-]+\.(js|css)$/.exec(name) ?? []
  const text = type === '' ? '' : file(`assets/${name}`)
  if (text === '' || !(isKnown || name.startsWith('sign-in')))
    return refusalReply({
      status: isKnown ? 404 : 401,
      says: isKnown ? 'not found' : 'authentication required',
    })
  // The name holds a hash of the content.
  const headers = { 'Cache-Control': 'private, max-age=31536000, immutable' }
  const reply = fileReply(text, TYPES[type] ?? 'text/plain')
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

function signIn(credentials: Credentials): Route {
  return {
    verb: 'POST',
    path: '/sign-in',
    who: 'anyone',
    async answer({ incoming }) {
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      const cookie = credentials.trade(String(mapIn(body.text)?.['code'] ?? ''))
      return cookie === null
        ? refusalReply({
            status: 401,
            says: 'the code is invalid: it was used already, or it is older than ten minutes',
          })
        : { status: 204, text: '', headers: { 'Set-Cookie': cookie } }
    },
  }
}

function fileReply(text: string, type: string, status = 200): Reply {
  return { status, text, headers: { ...PAGE_HEADERS, 'Content-Type': `${type}; charset=utf-8` } }
}
