/**
 * Secrets recognised by their use: `the safe opens with 24-61-08`, `hunter2 gets you into the forum`. A word that
 * looks like a value counts if enough classes of words are near it in its sentence: a lock, opening, the name of a
 * secret, a word that binds. No class is enough alone.
 */

import { type Candidate, candidatesOf, mayHold } from './secret-candidates.ts'
import {
  bareAt,
  type Classes,
  classesNear,
  isAmount,
  isCounting,
  isHouse,
  isLabel,
  isModel,
  isPlaced,
  isReference,
  type Line,
  LOCKS,
  WITH,
} from './secret-references.ts'
import { classesOf, type StemClass } from './secret-stems.ts'
import type { SaidText, Span, Word } from './secret-text.ts'
import { BINDS, BINDS_BACK, CONCEPT, SMALL } from './secret-words.ts'

/** Evidence that a value needs; short numbers and words in quotes need more. */
const NEEDED = 2
const WHO = /^(?:i|you|we|ich|du|wir|man|je|tu|yo|io|eu|ik|ja|я|ты|мы|jag|jeg)$/iu
/** Four to eight digits: near a lock almost always a code, except for round numbers. */
const BARE = /^(?!\d*[05]0$)\d{4,8}$/
/** `55A90`: digits and a letter of a keypad. */
const KEYPAD = /^(?=(?:\D?\d){3})(?:\d{3,5}[A-Z]|[A-Z]\d{3,5}|\d{1,3}[A-Z]\d{1,3})$/
const SELF = /^(?:sich|se|si|się|zich|s[ei]bie)$/iu
/** `set to`, `réglé sur`: between the verb and the value. */
const ONTO = /^(?:to|on|auf|sur|en|em|a|op|su|sul|na|на|på)$/iu
/** Lower case, upper case, digits and signs: the form of passwords only, but a word must bind it. */
const STRONG = /^(?=.*\p{Ll})(?=.*\p{Lu})(?=.*\p{N})(?=.*[@$!%^&*#+?_~-])[^\s/=:;()[\]{}<>]{10,40}$/u

export function openedSpans(said: SaidText): readonly Span[] {
  if (!mayHold(said.text)) return []
  const named = namedWords(said)
  return sentencesIn(said.words()).flatMap((words) => {
    const line: Line = {
      words,
      classes: words.map(({ bare }) => classesOf(bare)),
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

/** Tells whether a word is part of a sure name; call it in the order of the text. */
function namedWords(said: SaidText): (word: Word) => boolean {
  // `the pin layout` isn't the name of a secret.
  const names = said
    .sure()
    .filter(({ to }) => !CONCEPT.test(/^ (\p{L}+)/u.exec(said.text.slice(to, to + 24))?.[1] ?? ''))
  let at = 0
  return ({ from, to }) => {
    while (at < names.length && (names[at]?.to ?? 0) <= from) at += 1
    return (names[at]?.from ?? to) < to
  }
}

function sentencesIn(words: readonly Word[]): readonly (readonly Word[])[] {
  const sentences: Word[][] = []
  let own: Word[] = []
  const end = () => {
    // A short sentence belongs to the one before it: `The alarm? It's 9153.`
    if (own.length < 5 && sentences.length > 0) sentences.at(-1)?.push(...own)
    else sentences.push(own)
    own = []
  }
  for (const word of words) {
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

/** The number of classes that indicate a secret; 0 if something indicates that it isn't one. */
function evidenceFor(line: Line, one: Candidate, near: Classes): number {
  const isNamed = near.has('sure') || near.has('loose')
  const isKeyed = line.classes[one.first - 1]?.has('keyed') === true
  const isBirthday = near.has('birthday') && near.has('open') && one.digits > 3
  const isThing = near.has('lock') || near.has('account') || isBirthday
  if (!isNamed && !isThing && !isKeyed && !isAlone(line, one, near)) return 0
  if (isOther(line, one, { near, isNamed })) return 0
  const { bare } = line.words[one.first] as Word
  const thing = isThing || isKeyed ? 1 : 0
  const name = near.has('sure') ? 2 : near.has('loose') ? 1 : 0
  const uses = (near.has('open') ? 1 : 0) + (near.has('cue') || near.has('birthday') ? 1 : 0)
  const isBare = near.has('lock') && (BARE.test(bare) || KEYPAD.test(bare)) ? 1 : 0
  const shape = hasShape(line, one) ? 1 : 0
  const score = thing + name + uses + shape + isBare + (isBound(line, one, near) ? 1 : 0)
  const isSaid = near.has('keyed') || near.has('birthday') || one.digits > 15
  const onlyAccount = !isSaid && !isNamed && !near.has('lock') && one.kind === 'number'
  return score - (isLabel(line, one, near) ? 1 : 0) - (onlyAccount ? 1 : 0) - (isCounting(line, one) ? 1 : 0)
}

/** True if the shape alone is enough to count the evidence, without a name or a lock. */
function isAlone(line: Line, one: Candidate, near: Classes): boolean {
  const { bare } = line.words[one.first] as Word
  if (one.isGrouped && one.digits < 9 && near.has('open')) return true
  if (one.kind !== 'mixed') return false
  return STRONG.test(bare) || (WORDY.test(bare) && (near.has('open') || isBoundSmall(line, one)))
}

function hasShape(line: Line, one: Candidate): boolean {
  const { bare } = line.words[one.first] as Word
  if (one.isGrouped || one.digits > 15 || REPEATED.test(bare) || isLastWord(line, one)) return true
  return one.kind === 'mixed' && (STRONG.test(bare) || WORDY.test(bare))
}

function isOther(line: Line, one: Candidate, around: { near: Classes; isNamed: boolean }): boolean {
  const { near, isNamed } = around
  const isDialOfLock = one.isGrouped && near.has('lock')
  const isNumber = one.kind === 'number'
  if (near.has('reference') && isNumber && !isNamed && !isDialOfLock && !near.has('open')) return true
  if ((!isDialOfLock && isReference(line, one)) || (isNumber && isAmount(line, one, around))) return true
  // A flight or a model.
  if (!isNamed && /^\p{Lu}{2}\d{2,4}$/u.test((line.words[one.first] as Word).bare)) return true
  return isPlaced(line, one) || isHouse(line, one) || isModel(line.words, one)
}

/** `000000` */
const REPEATED = /^(\d)\1{3,7}$/
/** `pokemon151`: at least five letters and two digits, which no version or machine is called. */
const WORDY = /^\p{L}\p{Ll}{4,}[@$!%^&*#+?~._-]?\d{2,6}[!?#*]?$/u
/** `wifi at my parents' pancakes2015`; a model number such as `ZX4400` is not a password. */
function isLastWord({ words }: Line, { last, kind }: Candidate): boolean {
  const word = words[last] as Word
  return (
    (kind === 'mixed' || (kind === 'numbered' && /\p{Ll}{3}-/u.test(word.bare))) &&
    (last === words.length - 1 || word.endsSentence) &&
    !/^\p{Lu}+\d+\p{L}?$/u.test(word.bare)
  )
}

/** `is skate2012`: lower case after a word that binds. */
function isBoundSmall({ words }: Line, { first }: Candidate): boolean {
  const before = words[first - 1]
  const binds = before !== undefined && (/[:=→>]$/.test(before.raw) || BINDS.test(before.bare))
  return binds && /^\p{Ll}/u.test(bareAt(words, first))
}

/** True if a word that binds or opens, or "with", comes right before or after it, articles aside. */
function isBound(line: Line, one: Candidate, near: Classes): boolean {
  const { words, classes } = line
  const { first, last, digits } = one
  if (isAtEnd(line, one, near)) return true
  const isBetween = (at: number) =>
    SMALL.test(bareAt(words, at)) ||
    WHO.test(bareAt(words, at)) ||
    ONTO.test(bareAt(words, at)) ||
    SELF.test(bareAt(words, at))
  let at = first - 1
  while (at > first - 3 && at > 0 && isBetween(at) && !isBinding(words, classes, at)) at -= 1
  if (at >= 0 && (isBinding(words, classes, at) || LOCKS.test(bareAt(words, at)))) return true
  if (digits > 4 && digits < 9 && classes[first - 1]?.has('lock') === true) return true
  const next = words[last + 1]
  if (next === undefined || words[last]?.endsWith !== '') return false
  return BINDS_BACK.test(next.bare) || WITH.test(next.bare) || classes[last + 1]?.has('open') === true
}

/** `код от магнитолы 2387`, `front gate 5921`: after a name or a lock, at the end of a sentence. */
function isAtEnd({ words, classes }: Line, { first, last, digits }: Candidate, near: Classes): boolean {
  const word = words[last] as Word
  const least = near.has('loose') && near.has('lock') ? 3 : 4
  if (
    digits < least ||
    digits > 8 ||
    (last < words.length - 1 && !word.endsSentence && word.endsWith !== ',')
  )
    return false
  return classes
    .slice(Math.max(0, first - 5), first)
    .some((own) => (own.has('loose') && near.has('loose')) || own.has('lock'))
}

function isBinding(words: readonly Word[], classes: Line['classes'], at: number): boolean {
  const word = words[at]
  if (word === undefined) return false
  if (/[:=/→>]$/.test(word.raw) || BINDS.test(word.bare) || BINDS.test(word.raw)) return true
  const own = classes[at]
  return WITH.test(word.bare) || ['open', 'keyed', 'loose'].some((one) => own?.has(one as StemClass))
}
