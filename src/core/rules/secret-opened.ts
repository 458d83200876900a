/**
 * Secrets that are told by their use: `the safe opens with 24-61-08`, `hunter2 gets you into the forum`.
 * Takes a text; gives spans of values. Pure. A value-like word counts when enough classes of words stand near it in its
 * sentence: what is opened, that it opens, a name of a secret, what binds. No class is enough alone.
 * Leaves to secret-spans.ts: values that are bound to a name; to secret-stems.ts: the words.
 */

import { type Candidate, candidatesOf, mayHold } from './secret-candidates.ts'
import { PLACE, type Span } from './secret-spans.ts'
import { classesOf, type StemClass } from './secret-stems.ts'
import { type Word, wordsIn } from './secret-values-said.ts'
import { BINDS, BINDS_BACK, LIMIT, NUMBERED, SMALL, SURE_NAME, UNIT, WHEN } from './secret-words.ts'

const WINDOW = 9
/** Evidence that a value needs; a number of few digits, or words in quotes, need more. */
const NEEDED = 2
const WITH =
  /^(?:with|using|by|via|mit|per|avec|par|con|col|com|met|z|ze|с|со|ile|med|kanssa|s|se|so|cu|με|dengan|по|and|then|\/)$/iu
const WHO = /^(?:i|you|we|ich|du|wir|man|je|tu|yo|io|eu|ik|ja|я|ты|мы|jag|jeg)$/iu
/** Four to eight digits: beside a lock seldom anything else, unless it is a round number. */
const BARE = /^(?!\d*[05]0$)\d{4,8}$/
/** `set to`, `réglé sur`: between what sets and the value. */
const ONTO = /^(?:to|on|auf|sur|en|em|a|op|su|sul|na|на|på)$/iu
const NOT = /^(?:not|nicht|pas|no|não|non|niet|nie|не|değil|inte|ikke|ei)$/iu
/** Small and capital letters, digits and signs: nothing but a password looks so, yet something must bind it. */
const STRONG = /^(?=.*\p{Ll})(?=.*\p{Lu})(?=.*\p{N})(?=.*[@$!%^&*#+?_~-])[^\s/=:;()[\]{}<>]{10,40}$/u
const AT_TIME =
  /^(?:at|around|um|gegen|ab|à|vers|las|às|alle|om|в|на|kl|klo|klockan|saat|til|till|before|until|bis|vor|avant|jusqu.?[àa]|antes|hasta|até|prima|fino|voor|tot|przed|do|до|önce|kadar|after|nach|après|después|depois|dopo|na|po|после|sonra)$/iu

interface Line {
  readonly words: readonly Word[]
  readonly classes: readonly ReadonlySet<StemClass>[]
  /** Words that are part of a sure name of a secret. */
  readonly sure: readonly boolean[]
}

type Classes = ReadonlySet<StemClass | 'sure'>

export function openedSpans(text: string): readonly Span[] {
  if (!mayHold(text)) return []
  const named = namedWords(text)
  const classes = classesOnce()
  return sentencesIn(text).flatMap((words) => {
    const line: Line = {
      words,
      classes: words.map(({ bare }) => classes(bare)),
      sure: words.map(named),
    }
    const secrets = candidatesOf(words).filter((one) => isTold(line, one))
    return secrets.map(({ first, last }) => ({
      from: (words[first] as Word).from,
      to: (words[last] as Word).to,
      key: 'secret',
    }))
  })
}

/** People use the same words again and again. */
function classesOnce(): typeof classesOf {
  const known = new Map<string, ReadonlySet<StemClass>>()
  return (word) => {
    const found = known.get(word) ?? classesOf(word)
    known.set(word, found)
    return found
  }
}

/** Whether a word is part of a sure name; asked in the order of the text. */
function namedWords(text: string): (word: Word) => boolean {
  const names = [...text.matchAll(SURE_NAME)].map(({ index, 0: name }) => ({
    from: index,
    to: index + name.length,
  }))
  let at = 0
  return ({ from, to }) => {
    while (at < names.length && (names[at]?.to ?? 0) <= from) at += 1
    return (names[at]?.from ?? to) < to
  }
}

function sentencesIn(text: string): readonly (readonly Word[])[] {
  const sentences: Word[][] = []
  let own: Word[] = []
  const end = () => {
    // `The alarm? It's 9153.`
    if (own.length < 5 && sentences.length > 0) sentences.at(-1)?.push(...own)
    else sentences.push(own)
    own = []
  }
  for (const word of wordsIn(text)) {
    own.push(word)
    if (word.endsSentence) end()
  }
  end()
  return sentences
}

function isTold(line: Line, one: Candidate): boolean {
  const near = classesNear(line, one)
  return evidenceFor(line, one, near) >= neededFor(one, near)
}

function neededFor({ kind, digits, isGrouped }: Candidate, near: Classes): number {
  // The code on the back of a card has three digits.
  const isShort = digits < 4 && !isGrouped && !(near.has('card') && near.has('loose'))
  if (kind === 'number') return isShort ? NEEDED + 1 : NEEDED
  return kind === 'mixed' ? NEEDED : NEEDED + 1
}

/** How many classes of words speak for it; 0 where something says that it is no secret. */
function evidenceFor(line: Line, one: Candidate, near: Classes): number {
  const isNamed = near.has('sure') || near.has('loose')
  const isStrong = one.kind === 'mixed' && STRONG.test((line.words[one.first] as Word).bare)
  const isDialled = one.isGrouped && one.digits < 9 && near.has('open')
  if (!isNamed && !near.has('lock') && !near.has('account') && !isStrong && !isDialled) return 0
  const isDialOfLock = one.isGrouped && near.has('lock')
  if (near.has('reference') && one.kind === 'number' && !isNamed && !isDialOfLock && !near.has('open'))
    return 0
  if (
    (!isDialOfLock && isReference(line, one)) ||
    (one.kind === 'number' && isAmount(line, one, { near, isNamed }))
  )
    return 0
  if (isPlaced(line, one)) return 0
  const thing = near.has('lock') || near.has('account') ? 1 : 0
  const name = near.has('sure') ? 2 : near.has('loose') ? 1 : 0
  const uses = (near.has('open') ? 1 : 0) + (near.has('cue') ? 1 : 0)
  const isBare = near.has('lock') && BARE.test((line.words[one.first] as Word).bare) ? 1 : 0
  const shape = isStrong || one.isGrouped || isLastWord(line, one) ? 1 : 0
  const score = thing + name + uses + shape + isBare + (isBound(line, one, near) ? 1 : 0)
  const onlyAccount = !isNamed && !near.has('lock') && one.kind === 'number'
  return score - (isLabel(line, one, near) ? 1 : 0) - (onlyAccount ? 1 : 0) - (isCounting(line, one) ? 1 : 0)
}

/** `wifi at my parents' pancakes2015`; a model's number such as `ZX4400` is no password. */
function isLastWord({ words }: Line, { last, kind }: Candidate): boolean {
  const word = words[last] as Word
  return (
    kind === 'mixed' &&
    (last === words.length - 1 || word.endsSentence) &&
    !/^\p{Lu}+\d+\p{L}?$/u.test(word.bare)
  )
}

function classesNear({ words, classes, sure }: Line, { first, last }: Candidate): Classes {
  const near = new Set<StemClass | 'sure'>()
  for (let at = Math.max(0, first - WINDOW); at < Math.min(words.length, last + 1 + WINDOW); at += 1) {
    if (at >= first && at <= last) continue
    if (sure[at] === true) near.add('sure')
    for (const one of classes[at] ?? []) {
      const isOther =
        one === 'loose' &&
        [at - 2, at - 1, at, at + 1, at + 2].some((next) => classes[next]?.has('otherCode'))
      if (!isOther) near.add(one)
    }
  }
  return near
}

/** Before it, articles and "now" left out, stands what binds, opens or says "with"; or behind it. */
function isBound(line: Line, one: Candidate, near: Classes): boolean {
  const { words, classes } = line
  const { first, last, digits } = one
  if (isAtEnd(line, one, near)) return true
  const isBetween = (at: number) =>
    SMALL.test(bareAt(words, at)) || WHO.test(bareAt(words, at)) || ONTO.test(bareAt(words, at))
  let at = first - 1
  while (at > first - 3 && at > 0 && isBetween(at) && !isBinding(words, classes, at)) at -= 1
  if (at >= 0 && isBinding(words, classes, at)) return true
  if (digits > 4 && digits < 9 && classes[first - 1]?.has('lock') === true) return true
  const next = words[last + 1]
  if (next === undefined || words[last]?.endsWith !== '') return false
  return BINDS_BACK.test(next.bare) || WITH.test(next.bare) || classes[last + 1]?.has('open') === true
}

/** `код от магнитолы 2387`, `front gate 5921`: behind a name or a thing, as the last words of a sentence. */
function isAtEnd({ words, classes }: Line, { first, last, digits }: Candidate, near: Classes): boolean {
  const word = words[last] as Word
  if (digits < 4 || digits > 8 || (last < words.length - 1 && !word.endsSentence && word.endsWith !== ','))
    return false
  return classes
    .slice(Math.max(0, first - 5), first)
    .some((own) => (own.has('loose') && near.has('loose')) || own.has('lock'))
}

function isBinding(words: readonly Word[], classes: Line['classes'], at: number): boolean {
  const word = words[at]
  if (word === undefined) return false
  if (/[:=/→>]$/.test(word.raw) || BINDS.test(word.bare) || BINDS.test(word.raw)) return true
  return WITH.test(word.bare) || classes[at]?.has('open') === true
}

/** `floor 4711`, `user anna22`, `order number is 88213`. */
function isReference({ words, classes, sure }: Line, { first, last, kind, digits }: Candidate): boolean {
  const back = kind === 'number' ? 3 : 2
  // `after 90 days` is an amount, `open after 9045` is none.
  const isLast = digits > 3 && (last === words.length - 1 || words[last]?.endsWith !== '')
  for (let at = first - 1; at >= Math.max(0, first - back); at -= 1) {
    if (sure[at] === true || classes[at]?.has('loose') === true) return false
    const isNumbered =
      classes[at]?.has('reference') === true ||
      (kind === 'number' && NUMBERED.test(bareAt(words, at)) && !(isLast && LIMIT.test(bareAt(words, at))))
    if (isNumbered) return true
    if (words[at]?.endsWith !== '' || !(SMALL.test(bareAt(words, at)) || BINDS.test(bareAt(words, at))))
      return false
  }
  return false
}

interface Near {
  readonly near: Classes
  readonly isNamed: boolean
}

/** A price, a count, a year, a time of day, a telephone number. */
function isAmount(
  { words, classes }: Line,
  { first, last, digits }: Candidate,
  { near, isNamed }: Near,
): boolean {
  const [before, own, next] = [bareAt(words, first - 1), bareAt(words, first), words[last + 1]?.bare ?? '']
  const isClose = words[last]?.endsWith === ''
  if (
    isClose &&
    (UNIT.test(next) || (/^\p{L}/u.test(next) && NUMBERED.test(next.replace(/s$/, '')) && !near.has('sure')))
  )
    return true
  const isCard = digits > 12 && digits < 20 && near.has('card') && first < last
  if (isCard) return false
  if (digits < 3 || digits > (isNamed ? 12 : 8) || (near.has('amount') && !near.has('sure'))) return true
  if (NOT.test(before) && words[first - 1]?.endsWith === '') return true
  const isAlone = first === last
  const isWith = WITH.test(before) || classes[first - 1]?.has('open') === true
  if (isAlone && /^(?:19|20)\d\d$/.test(own) && (WHEN.test(before) || !(isNamed || isWith))) return true
  const isTime = isAlone && /^(?:[01]\d|2[0-4])[0-5]\d$/.test(own)
  return isTime && AT_TIME.test(before) && !isNamed
}

/** `laptop T480s`, `gate 4411`: right behind a thing, and nothing says that it opens. */
function isLabel(
  { classes, words }: Line,
  { first, last, digits, isGrouped }: Candidate,
  near: Classes,
): boolean {
  if (near.has('sure') || near.has('loose') || near.has('cue') || digits > 4 || isGrouped) return false
  if (classes[last + 1]?.has('open') === true || WITH.test(bareAt(words, last + 1))) return false
  const before = classes[first - 1]
  const isThing = before?.has('lock') === true || before?.has('account') === true
  return isThing && !/[:=]$/.test(words[first - 1]?.raw ?? '')
}

/** `the crate-3q is in the shed`: where a thing is. */
function isPlaced({ words }: Line, { last, kind }: Candidate): boolean {
  return (
    kind === 'mixed' &&
    words[last]?.endsWith === '' &&
    BINDS_BACK.test(bareAt(words, last + 1)) &&
    PLACE.test(bareAt(words, last + 2))
  )
}

/** `4400 people`: a word behind a number that is neither small nor part of the talk about opening. */
function isCounting({ words, classes }: Line, { last, kind, isGrouped }: Candidate): boolean {
  const next = words[last + 1]
  if (kind !== 'number' || isGrouped || next === undefined || words[last]?.endsWith !== '') return false
  const isKnown = SMALL.test(next.bare) || BINDS.test(next.bare) || BINDS_BACK.test(next.bare)
  const isTalk = [...(classes[last + 1] ?? [])].some((one) => one !== 'reference' && one !== 'amount')
  return !isKnown && !isTalk && /^\p{L}{4,}$/u.test(next.bare)
}

function bareAt(words: readonly Word[], at: number): string {
  return words[at]?.bare ?? ''
}
