/**
 * Trades the one-time code in the address's fragment for an HttpOnly cookie. The code only ever leaves this page in the
 * body of that request. Members trade their own token for a code first.
 */
const says = document.getElementById('says')
const form = document.getElementById('by-token')
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void byToken(document.getElementById('token'))
})
const code = new URLSearchParams(location.hash.slice(1)).get('code')
history.replaceState(null, '', '/')
await signIn(code)

async function signIn(code) {
  try {
    // The SameSite cookie is not sent when a link elsewhere led here; it is sent with our own requests.
    if (code === null) return await known()
    const answer = await fetch('/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    if (answer.ok) return location.replace('/')
    say('This link was used already, or it is older than ten minutes. Run neo open for a new one.')
  } catch {
    says.textContent = "Can't reach Neo. Is neo watch still running?"
  }
}

function say(text) {
  says.textContent = text
  form.hidden = false
}

async function byToken(field) {
  const token = field.value.trim()
  field.value = ''
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) return say('Invalid token: it has no spaces or special characters.')
  try {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const answer = await fetch('/codes', { method: 'POST', headers, body: '{}' })
    if (answer.ok) return await signIn((await answer.json()).code)
    say(answer.status === 429 ? 'Too many attempts. Wait a moment and try again.' : 'Authentication failed: wrong or revoked token.')
  } catch {
    say("Can't reach Neo. Is neo watch still running?")
  }
}

async function known() {
  const answer = await fetch('/me')
  if (answer.ok) return location.replace('/')
  say("You're not signed in. Run neo open in a terminal, or enter your access token.")
}
