/**
 * Signs in: trades the code in the address's fragment for a cookie that no script can read, once.
 * A code never leaves this page but in the body of that one request; who has a token of their own gets a code for it.
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
    // A cookie does not come along when a link elsewhere led here; it does when we ask ourselves.
    if (code === null) return await known()
    const answer = await fetch('/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    if (answer.ok) return location.replace('/')
    say('This link was used, or is older than ten minutes. In a terminal, neo open makes a new one.')
  } catch {
    says.textContent = 'Neo does not answer. Is neo watch still running?'
  }
}

function say(text) {
  says.textContent = text
  form.hidden = false
}

async function byToken(field) {
  const token = field.value.trim()
  field.value = ''
  // What is no letter of a token cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) return say('This is no token.')
  try {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const answer = await fetch('/codes', { method: 'POST', headers, body: '{}' })
    if (answer.ok) return await signIn((await answer.json()).code)
    say(answer.status === 429 ? 'Too many tries; wait a little.' : 'This token is not good here.')
  } catch {
    say('Neo does not answer. Is neo watch still running?')
  }
}

async function known() {
  const answer = await fetch('/me')
  if (answer.ok) return location.replace('/')
  say('Nobody is signed in here. In a terminal, neo open signs in; members sign in with their own token.')
}
