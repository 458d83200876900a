/**
 * The page, its files, and signing in to it. Invariant 1: without a sign-in, you get the sign-in page, its script, looks
 * and icon, which hold nothing of the home. Invariant 2: a code goes in by a body, never by the path or the query.
 */
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
    {
      verb: 'GET',
      path: '/',
      who: 'anyone',
      answer: ({ credential }) => (credential === null ? page('sign-in.html', 401) : page('page.html')),
    },
    {
      verb: 'GET',
      path: '/sign-in.js',
      who: 'anyone',
      answer: () => fileReply(file('sign-in.js'), 'text/javascript'),
    },
    { ...known, path: '/page.js', answer: () => fileReply(file('page.js'), 'text/javascript') },
    { ...anyone, path: '/page.css', answer: () => fileReply(file('page.css'), 'text/css') },
    { ...known, path: '/me', answer: ({ credential }) => jsonReply(whoIs(credential)) },
    { ...anyone, path: '/icon.svg', answer: () => fileReply(file('icon.svg'), 'image/svg+xml') },
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
  ]
}

function signIn(credentials: Credentials): Route {
  return {
    verb: 'POST',
    path: '/sign-in',
    who: 'anyone',
    async answer({ incoming }) {
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      const cookie = credentials.trade(codeIn(body.text))
      return cookie === null
        ? refusalReply({
            status: 401,
            says: 'the code is invalid: it was used already, or it is older than ten minutes',
          })
        : { status: 204, text: '', headers: { 'Set-Cookie': cookie } }
    },
  }
}

function codeIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'code' in value) return String(value.code)
  } catch {
    // Then there is no code in it.
  }
  return ''
}

function fileReply(text: string, type: string, status = 200): Reply {
  return { status, text, headers: { ...PAGE_HEADERS, 'Content-Type': `${type}; charset=utf-8` } }
}
