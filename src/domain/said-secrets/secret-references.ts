/**
 * Signs that a value is not a secret: an amount, a time, a phone number, the number of a house or a model, a
 * reference, a place. `Line` is the sentence around the value with the classes of its words.
 */

import { type Candidate, THEN } from './secret-candidates.ts'
import { PLACE } from './secret-spans.ts'
import type { StemClass } from './secret-stems.ts'
import type { Word } from './secret-text.ts'
import { BINDS, BINDS_BACK, LIMIT, NUMBERED, SMALL, UNIT, WHEN } from './secret-words.ts'

/** Words that count on each side of a value. */
const WINDOW = 12

export interface Line {
  readonly words: readonly Word[]
  readonly classes: readonly ReadonlySet<StemClass>[]
  /** For each word, whether it is part of a sure name of a secret. */
  readonly sure: readonly boolean[]
}

export type Classes = ReadonlySet<StemClass | 'sure'>

/** `opens with 4711`: between the verb and the value. */
export const WITH =
  /^(?:with|using|by|via|mit|per|avec|par|con|col|com|met|z|ze|с|со|ile|med|kanssa|s|se|so|cu|με|dengan|по|and|then|\/)$/iu

export function classesNear({ words, classes, sure }: Line, { first, last }: Candidate): Classes {
  const near = new Set<StemClass | 'sure'>()
  for (let at = Math.max(0, first - WINDOW); at < Math.min(words.length, last + 1 + WINDOW); at += 1) {
    if (at >= first && at <= last) continue
    if (sure[at] === true) near.add('sure')
    if (classes[at]?.has('keyed') === true) near.add('open')
    for (const one of classes[at] ?? []) {
      const isOther =
        one === 'loose' &&
        [at - 2, at - 1, at, at + 1, at + 2].some((next) => classes[next]?.has('otherCode'))
      // An answering machine is not a call.
      if (!isOther && !(one === 'amount' && classes[at]?.has('lock'))) near.add(one)
    }
  }
  return near
}

export function bareAt(words: readonly Word[], at: number): string {
  return words[at]?.bare ?? ''
}

/** Locks by name: digits right after them are a code even if they look like a year. */
export const LOCKS =
  /lock$|schloss$|schloß$|^cadenas$|^candado$|^lucchetto$|^cadeado$|slot$|^kłódk|^замо?к|^kilid?|^lås/iu
const NOT = /^(?:not|nicht|pas|no|não|non|niet|nie|не|değil|inte|ikke|ei)$/iu
const AT_TIME =
  /^(?:at|around|um|gegen|ab|à|vers|las|às|alle|om|o|w|в|на|kl|klo|klockan|saat|til|till|before|until|bis|vor|avant|jusqu.?[àa]|antes|hasta|até|prima|fino|voor|tot|przed|do|до|önce|kadar|after|nach|après|después|depois|dopo|na|po|после|sonra)$/iu

/** `floor 4711`, `user anna22`, `order number is 88213`. */
export function isReference(
  { words, classes, sure }: Line,
  { first, last, kind, digits }: Candidate,
): boolean {
  const back = kind === 'number' ? 3 : 2
  // `after 90 days` is an amount, `open after 9045` isn't.
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

/** A price, a count, a year, a time of day or a phone number. */
export function isAmount(
  { words, classes }: Line,
  { first, last, digits, isGrouped }: Candidate,
  { near, isNamed }: Near,
): boolean {
  const [before, own, next] = [bareAt(words, first - 1), bareAt(words, first), words[last + 1]?.bare ?? '']
  const isClose = words[last]?.endsWith === ''
  if (before === 'стоит') return true
  if (
    isClose &&
    (UNIT.test(next) || (/^\p{L}/u.test(next) && NUMBERED.test(next.replace(/s$/, '')) && !near.has('sure')))
  )
    return true
  const isCard = digits > 12 && digits < 20 && near.has('card') && first < last
  if (isCard) return false
  if (
    digits < 3 ||
    (digits > (isNamed ? 12 : 8) && !(digits > 15 && (near.has('lock') || near.has('account')))) ||
    (near.has('amount') && !near.has('sure'))
  )
    return true
  if (NOT.test(before) && words[first - 1]?.endsWith === '' && !(isGrouped && near.has('lock'))) return true
  const isAlone = first === last
  const isWith = WITH.test(before) || classes[first - 1]?.has('open') === true
  if (
    isAlone &&
    /^(?:19|20)\d\d$/.test(own) &&
    (WHEN.test(before) || !(isNamed || isWith || LOCKS.test(before) || near.has('birthday')))
  )
    return true
  const isTime = isAlone && /^(?:[01]\d|2[0-4])[0-5]\d$/.test(own)
  // `set to 1408`; an alarm is set to a time.
  const isSetTo =
    /^(?:na|auf|su|op|la|à|на)$/iu.test(before) &&
    classes[first - 2]?.has('open') === true &&
    !words.some(({ bare }) => /alarm|будил|wek/iu.test(bare))
  return isTime && AT_TIME.test(before) && !isNamed && !isSetTo
}

/** `laptop T480s`, `gate 4411`: right after a thing, without any word for opening. */
export function isLabel(
  { classes, words }: Line,
  { first, last, digits, isGrouped }: Candidate,
  near: Classes,
): boolean {
  if (
    near.has('sure') ||
    near.has('loose') ||
    near.has('cue') ||
    near.has('birthday') ||
    digits > 4 ||
    isGrouped
  )
    return false
  if (classes[last + 1]?.has('open') === true || WITH.test(bareAt(words, last + 1))) return false
  if (/^\p{L}\p{Ll}{4,}\d{2,}$/u.test(bareAt(words, first))) return false
  const before = classes[first - 1]
  const isThing = before?.has('lock') === true || before?.has('account') === true
  return isThing && !/[:=]$/.test(words[first - 1]?.raw ?? '')
}

/** `een Fritz 7590`: an article, a name, a number. */
export function isModel(words: readonly Word[], { first, kind }: Candidate): boolean {
  if (kind !== 'number') return false
  const isOne = /^(?:an?|eine?|une?|un[ao]?|uma?|een)$/iu.test(bareAt(words, first - 2))
  return isOne && /^\p{Lu}/u.test(bareAt(words, first - 1)) && !/code/iu.test(bareAt(words, first - 1))
}

/** `the crate-3q is in the shed`: the location of a thing. */
export function isPlaced({ words }: Line, { last, kind }: Candidate): boolean {
  return (
    kind === 'mixed' &&
    words[last]?.endsWith === '' &&
    BINDS_BACK.test(bareAt(words, last + 1)) &&
    PLACE.test(bareAt(words, last + 2))
  )
}

/** A house number: `1425 Maple Avenue`, `Schlossstraße 47`, `rue des Lilas 1502`. */
export function isHouse({ words, classes }: Line, { first, last, kind }: Candidate): boolean {
  if (kind !== 'number' || first !== last) return false
  // `47 rue des Lilas, code 75020`
  const isPostal = /^\d{5}$/.test(bareAt(words, first)) && !classes[first - 1]?.has('lock')
  if (isPostal && classes.slice(Math.max(0, first - 6), first).some((one) => one.has('street'))) return true
  for (let at = first - 1; at >= Math.max(0, first - 4); at -= 1) {
    if (classes[at]?.has('street') === true) return true
    if (!/^(?:\p{Lu}|n[ro]\.?$|nº$|d[eio]s?$|del|la$|les$)/u.test(bareAt(words, at))) break
  }
  if (words[last]?.endsWith !== '') return false
  for (let at = last + 1; at <= last + 3; at += 1) {
    if (classes[at]?.has('street') === true) return true
    if (!/^\p{Lu}/u.test(bareAt(words, at))) break
  }
  return false
}

/** `4400 people`: the word after the number is neither a small word nor about opening. */
export function isCounting({ words, classes }: Line, { last, kind, isGrouped }: Candidate): boolean {
  const next = words[last + 1]
  if (kind !== 'number' || isGrouped || next === undefined || words[last]?.endsWith !== '') return false
  const isKnown =
    THEN.test(next.bare) || SMALL.test(next.bare) || BINDS.test(next.bare) || BINDS_BACK.test(next.bare)
  const isTalk = [...(classes[last + 1] ?? [])].some((one) => one !== 'reference' && one !== 'amount')
  return !isKnown && !isTalk && /^\p{L}{4,}$/u.test(next.bare)
}
