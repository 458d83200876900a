/**
 * Which value of an environment is a secret, and the forms in which it can stand in a text. Pure. The rules, in the
 * order in which they decide: 1. shorter than 4 characters, a common word, a plain path or a plain address: no; 2.
 * the name says that it is one (`PIN`, `WORK_KEY`, `dbPassword`): yes; 3. the name says what it is (`APP_PORT`,
 * `LOG_LEVEL`): only if the value looks like a token; 4. else from 6 characters on, and shorter with a digit and a
 * letter or with 4 digits that are no year and no port.
 */
const LEAST = 4
const LEAST_PLAIN = 6

const SECRET_WORDS = words(
  'pin pins pass password passwd passphrase passcode pw pwd key keys apikey secret secrets token tokens auth authorization cred creds credential credentials private signing salt otp totp seed mnemonic jwt cookie dsn cert pem iban card cvv cvc webhook',
)
/** As the last word of a name they say what the value is: `KEY_FILE`, `TOKEN_LIMIT`. */
const PLAIN_WORDS = words(
  'port host hostname domain env environment mode level log debug verbose lang language locale tz timezone region zone path dir directory folder file filename sock socket version timeout limit max min size count interval retries width height editor shell term home name user username login email mail model date year format theme color colour ttl type kind enabled url uri endpoint origin agent pwd',
)
const MOST_WORDS = words('max min num default log')
const COMMON = words(
  'true false yes no on off null none undefined nil enabled disabled auto default production prod development develop staging stage test testing tests local localhost debug info warn warning error trace silent verbose main master head root admin user guest anonymous public private example dumb bash node python npm utf-8 utf8 c.utf-8 en_us.utf-8 c.utf8 posix json yaml text plain http https postgres postgresql mysql sqlite redis memory always never strict please hello world password changeme secret token',
)
const PORTS = words('3306 5432 6379 8000 8080 8081 8443 8888 9000 9090 9200 27017 5672 11211')

/** Settings of neo.yaml that the environment gives: none but those with a secret's name is one. */
const OURS = /^NEO_/

export function isSecretValue(name: string, value: string): boolean {
  const text = value.trim()
  if (text.length < LEAST || isPlain(text)) return false
  if (isSecretName(name) || passwordOf(text) !== '') return true
  if (isPlainName(name) || OURS.test(name)) return isTokenLike(text)
  if (/^-?\d+(?:[.,]\d+)?$/.test(text)) return isCode(text)
  return text.length >= LEAST_PLAIN || (/\d/.test(text) && /\p{L}/u.test(text))
}

/** All but plain words under names that say nothing, such as `PROJECT=garden`. */
export function isSureSecret(name: string, value: string): boolean {
  return isSecretName(name) || !/^\p{L}+(?:[ _-]\p{L}+)*$/u.test(value.trim())
}

/** `WORK_KEY`, `dbPassword`; not `KEY_FILE`, `MAX_TOKENS`. */
export function isSecretName(name: string): boolean {
  return !isPlainName(name) && wordsOf(name).some((word) => SECRET_WORDS.has(word))
}

function isPlainName(name: string): boolean {
  const parts = wordsOf(name)
  return PLAIN_WORDS.has(parts.at(-1) ?? '') || MOST_WORDS.has(parts[0] ?? '')
}

/** Of an address such as `postgres://user:password@host/db`. */
function passwordOf(text: string): string {
  const [, user = '', password = user] =
    /^[a-z][a-z0-9+.-]*:\/\/([^\s/:@]*)(?::([^\s/@]*))?@/i.exec(text) ?? []
  return password
}

function isCode(number: string): boolean {
  return /^\d{4,}$/.test(number) && !/^(?:19|20)\d\d$|^[1-9]0+$|000$/.test(number) && !PORTS.has(number)
}

/** What gives nothing away under whatever name. */
function isPlain(text: string): boolean {
  if (COMMON.has(text.toLowerCase()) || /^\*+$/.test(text) || /^\$\{?\w+\}?$/.test(text)) return true
  if (/^[a-z]{2}(?:[_-][A-Z]{2})?(?:\.UTF-?8)?$/.test(text)) return true
  const isPath = /^(?:~|\.{1,2})?\/[\w./ @+:-]*$/.test(text)
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\/[\w.-]*(?::\d+)?(?:\/[\w./~+-]*)?$/i.test(text)
  const isHost =
    /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[\da-f:]+::[\da-f:]*\]?|[a-z-]+(?:\.[a-z-]+)+)(?::\d+)?$/.test(text)
  return (isPath || isAddress || isHost) && !text.split(/[/.]/).some(isTokenLike)
}

/** Long, of letters and digits mixed, as no word and no name is. */
function isTokenLike(text: string): boolean {
  const [, part = ''] = /([A-Za-z0-9+/_=-]{16,})/.exec(text) ?? []
  return /\d/.test(part) && /[A-Za-z]/.test(part) && !/^[\w.-]+\.[a-z]{2,4}$/.test(text)
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== '')
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** A line of a longer value that says nothing by itself is not looked for. */
const LEAST_LINE = 8
/** Longer literals are looked for in pieces: base64 is wrapped, and no comparison is long. */
const MOST_LITERAL = 512
const WRAPS = [64, 76]

/** All literals to look for, each at least 4 characters long. */
export function formsOf(value: string): ReadonlySet<string> {
  const forms = new Set<string>()
  const add = (text: string) => {
    if (text.length >= LEAST) for (const piece of piecesOf(text)) forms.add(piece)
  }
  const text = value.trim()
  for (const line of linesOf(text)) {
    for (const form of writtenForms(line)) add(form)
    for (const form of base64Forms(line)) add(form)
  }
  add(passwordOf(text))
  if (text.includes('\n')) for (const form of base64Forms(text)) add(form)
  return forms
}

/** A value of several lines, such as a key, is looked for line by line. */
function linesOf(text: string): readonly string[] {
  if (!/[\r\n]/.test(text)) return [text]
  const lines = text.split(/[\r\n]+/).map((line) => line.trim())
  return lines.filter((line) => line.length >= LEAST_LINE && !/^-----(?:BEGIN|END) [A-Z ]+-----$/.test(line))
}

/** As it is, in JSON, in an address, in a form, quoted for a shell, in a file name made of it, in HTML. */
function writtenForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const url = encodeUri(text)
  return [
    text,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    new URLSearchParams({ k: text }).toString().slice('k='.length),
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replaceAll(/["\\$`]/g, '\\$&'),
    text.replaceAll(/[^\w@%+=:,./-]/g, '\\$&'),
    ...slugForms(text),
    ...htmlForms(text),
  ]
}

/** Between tags, and in attributes: which quotes are escaped differs. */
function htmlForms(text: string): readonly string[] {
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = html.replaceAll('"', '&quot;')
  return [html, quoted, ...['&#39;', '&#x27;', '&apos;'].map((sign) => quoted.replaceAll("'", sign))]
}

/** As a file that was named after it has it; a value of words alone is too common there. */
function slugForms(text: string): readonly string[] {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  return slug.length >= LEAST_LINE && /\d/.test(slug) ? [slug] : []
}

/** Alone, with a line end after it, and inside a longer text at each of the three offsets. */
function base64Forms(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text)
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  // One after the other, as dumps show them, in an address, in a string of a program.
  const hexes = [
    ...['', ' ', ':'].map((between) => pairs.join(between)),
    ...['%', '\\x'].map((before) => pairs.map((pair) => before + pair).join('')),
  ]
  const inner = [0, 1, 2].map((shift) => {
    const whole = base64(Uint8Array.from([...new Array<number>(shift).fill(0), ...bytes]))
    const from = shift === 0 ? 0 : shift + 1
    const end = Math.floor(((bytes.length + shift) * 8) / 6)
    return whole.slice(from, end)
  })
  const shown = inner.filter(
    (form, shift) => form.length >= LEAST_LINE || (shift === 0 && form.length >= LEAST),
  )
  const hex = hexes.flatMap((text) => [text, text.replaceAll(/[a-f]/g, (digit) => digit.toUpperCase())])
  const all = [base64(bytes), ...shown, ...hex]
  return [...all, ...all.map((form) => form.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''))]
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Half a pair of surrogates has no form in an address. */
function encodeUri(text: string): string {
  return encodeURIComponent(
    text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'),
  )
}

function piecesOf(text: string): readonly string[] {
  if (text.length <= Math.min(...WRAPS)) return [text]
  const cut = (width: number) =>
    Array.from({ length: Math.ceil(text.length / width) }, (_, at) =>
      text.slice(at * width, (at + 1) * width),
    )
  const pieces = [...WRAPS, MOST_LITERAL].flatMap(cut)
  return pieces.filter((piece) => piece.length >= LEAST_LINE)
}
