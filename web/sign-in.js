/**
 * Signs in: trades the code in the address's fragment for a cookie that no script can read, once.
 * A code never leaves this page but in the body of that one request.
 */
const says = document.getElementById('says')
const code = new URLSearchParams(location.hash.slice(1)).get('code')
history.replaceState(null, '', '/')
await signIn()

async function signIn() {
  try {
    // A cookie does not come along when a link elsewhere led here; it does when we ask ourselves.
    if (code === null) return await known()
    const answer = await fetch('/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    if (answer.ok) return location.replace('/')
    says.textContent =
      'This link was used, or is older than ten minutes. In a terminal, neo open makes a new one.'
  } catch {
    says.textContent = 'Neo does not answer. Is neo watch still running?'
  }
}

async function known() {
  const answer = await fetch('/page.css')
  if (answer.ok) return location.replace('/')
  says.textContent = 'Nobody is signed in here. In a terminal, neo open signs in.'
}
