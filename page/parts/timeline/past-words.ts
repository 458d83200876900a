/** What happened, in the past tense, from summaries and commit subjects, which are imperative: `Update a task`. */

const IRREGULAR: Readonly<Record<string, string>> = {
  do: 'worked on',
  forget: 'forgot',
  get: 'looked up',
  put: 'put',
  run: 'ran',
  send: 'sent',
  set: 'set',
  show: 'looked at',
  take: 'took',
  tell: 'told',
  write: 'wrote',
  find: 'found',
  keep: 'kept',
  hold: 'held',
}
const DOUBLED = new Set(['stop', 'plan', 'trim', 'drop', 'begin', 'submit', 'permit'])

/** `updated a task` of `Update a task`; null if it doesn't begin with a verb in small letters or one capital. */
export function past(summary: string): string | null {
  const [, verb = '', rest = ''] = /^([A-Za-z][a-z]+)( .*)?$/s.exec(summary) ?? []
  if (verb === '') return null
  return `${pastOf(verb.toLowerCase())}${rest}`
}

function pastOf(verb: string): string {
  const irregular = IRREGULAR[verb]
  if (irregular !== undefined) return irregular
  if (DOUBLED.has(verb)) return `${verb}${verb.at(-1)}ed`
  if (verb.endsWith('e')) return `${verb}d`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`
}

/** `neo(shop): complete a (1 step passed)`, which Neo writes, in its parts; null for what people write. */
export function subjectParts(subject: string) {
  const [, text] = /^neo(?:\([^)]*\))?: (.+)$/s.exec(subject) ?? []
  if (text === undefined) return null
  const [, what = text, result = null] = /^(.*?)(?: \((.*)\)| \((.*…))$/s.exec(text) ?? []
  const [verb = '', ...rest] = what.split(' ')
  return { verb: past(verb), object: rest.join(' '), result }
}
