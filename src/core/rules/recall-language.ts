/**
 * Whether a text is written in the language whose words the table of meaning knows, which is English.
 * Invariant: a text in another language gets no vector. Some of its words look like English ones (`die`, `war`, `rat`),
 * and a vector made of these ranks at random.
 */
import { isLittle, scriptsOf } from './recall-words.ts'

/** Below this share of known words a text is not English, or says too much that the table does not know. */
const LEAST_KNOWN = 0.6
/** Characters without spaces that count as one word. */
const WIDE_WORD = 2

/** Frequent short words of other languages that are no English words. */
const FOREIGN: ReadonlySet<string> = new Set(
  `der das und ist nicht ein eine einen einem einer im zum zur mit wird werden wurde wie wo wann wer ich wir ihr sie es auf
bei nach vom aus auch dem den des sich noch nur kein keine hat haben sind oder wenn dass für über
el la los las un una unos que y del por con para se está su sus qué cuál cómo dónde cuándo quién al lo pero es son muy
le les et une du au aux dans pour avec sur est sont ce cette qui où quand nous vous je il elle ils ne pas plus
il gli di che è della dei delle nel nella con sono per una uno chi dove quando si anche
o os um uma do da dos das não em no na nos nas com é são quem onde quando ao pelo pela
het een van voor met wordt niet op zijn naar ook er maar wie waar wanneer hoe bij
w na nie się jest do że jak kto gdzie kiedy przez są dla ale po od
och att det som inte är för av till hur när var och på`.split(/\s+/),
)

export function isEnglish(text: string, isKnown: (word: string) => boolean): boolean {
  const { words, wide } = scriptsOf(text)
  let [known, foreign, english] = [0, 0, 0]
  for (const word of words) {
    if (isKnown(word)) known++
    // `no`, `do`, `an` are words of both.
    if (isLittle(word)) english++
    else if (FOREIGN.has(word)) foreign++
  }
  const all = words.length + wide / WIDE_WORD
  return known > 0 && foreign <= english && known >= all * LEAST_KNOWN
}
