/**
 * Trades the one-time code in the fragment of the address for an HttpOnly cookie, then opens the address that was asked
 * for. The code leaves this page only in the body of that request. Members trade their access token for a code first.
 */
const says = document.getElementById('says') as HTMLElement
const form = document.getElementById('by-token') as HTMLFormElement
const field = document.getElementById('token') as HTMLInputElement

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void byToken()
})
const code = new URLSearchParams(location.hash.slice(1)).get('code')
const wanted = location.pathname === '/sign-in' ? '/' : location.pathname + location.search
history.replaceState(null, '', wanted)
await signIn(code)

async function signIn(oneTime: string | null): Promise<void> {
  try {
    // The SameSite cookie isn't sent when a link elsewhere led here; it is sent with requests of this page.
    if (oneTime === null) return await known()
    const answer = await post('/sign-in', { code: oneTime })
    if (answer.ok) return location.replace(wanted)
    say(
      'This link was used already, or it is older than ten minutes. Enter your access token; the owner gets a new link with neo open.',
    )
  } catch {
    say("Can't reach Neo. It may have been stopped; try again in a moment.")
  }
}

function say(text: string): void {
  says.textContent = text
  form.hidden = false
}

function post(
  address: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const all = { 'Content-Type': 'application/json', ...headers }
  return fetch(address, { method: 'POST', headers: all, body: JSON.stringify(body) })
}

async function byToken(): Promise<void> {
  const token = field.value.trim()
  field.value = ''
  // A header can't carry other characters.
  if (!/^[\x21-\x7e]+$/.test(token)) return say('Invalid token: it has no spaces or special characters.')
  try {
    const answer = await post('/codes', {}, { Authorization: `Bearer ${token}` })
    if (answer.ok) return await signIn(((await answer.json()) as { code: string }).code)
    const isBusy = answer.status === 429
    say(
      isBusy
        ? 'Too many attempts. Wait a moment and try again.'
        : 'Authentication failed: wrong or revoked token.',
    )
  } catch {
    say("Can't reach Neo. It may have been stopped; try again in a moment.")
  }
}

async function known(): Promise<void> {
  const answer = await fetch('/me')
  if (answer.ok) return location.replace(wanted)
  say("You're not signed in. Enter your access token. The owner can also use neo open.")
}
