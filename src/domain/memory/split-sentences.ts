/**
 * Where sentences end. A period after an abbreviation (`Dr.`, `e.g.`, `z. B.`), an initial or a number ends none.
 * Invariant: nothing is lost: the sentences joined are the text, but for spaces and marks of lists.
 */
const END = /[.!?…]+["'”»)\]]*\s+/gu
const STARTS =
  /^(?:my|remember|note|forget|i|we|the|it|please|mein|meine|merk|vergiss|ich|wir|mi|recuerda|olvida|mon|ma)\b/i

const ABBREVIATIONS: ReadonlySet<string> = new Set(
  `dr mr mrs ms prof st sr jr vs no nr hr fr dipl ing inc ltd corp co dept est fig gen gov hon lt sgt rev mt ave blvd apt approx
min max e.g i.e eg ie cf viz a.k.a tel str bzw ggf vgl evtl inkl exkl z.b d.h u.a o.ä ca abs art bspw sog usf nachm vorm
sra dra srta ud uds ej p.ej pág av avda aprox núm mme mlle mm pr env c.-à-d dott dssa sig avv es pag
dhr mevr mw bijv o.a d.w.z ul np tj godz im tzw т.е т.к т.д т.п г ул д стр им см напр
jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue wed thu fri sat sun`.split(/\s+/),
)
/** Titles continue with a name, whatever it begins with. */
const TITLES: ReadonlySet<string> = new Set(
  'dr mr mrs ms prof sr sra dra srta mme mlle hr fr dott dssa sig avv dhr mevr st'.split(' '),
)

export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[。！？])/u)
    .flatMap(sentencesIn)
    .map((one) => one.replace(/^[-*>\s]+/, '').trim())
    .filter((one) => one !== '')
}

function sentencesIn(line: string): readonly string[] {
  const found: string[] = []
  let from = 0
  for (const { 0: end, index } of line.matchAll(END)) {
    const next = index + end.length
    if (!isEnd(line.slice(from, index), end, line.slice(next))) continue
    found.push(line.slice(from, next))
    from = next
  }
  return [...found, line.slice(from)]
}

function isEnd(before: string, mark: string, after: string): boolean {
  const isStart = STARTS.test(after)
  if (!isStart && !/^["'“„«(¿¡]?[\p{Lu}\p{Lo}]/u.test(after)) return false
  if (!/^\.["'”»)\]]*\s/.test(mark)) return true
  const word = /[\p{L}\p{N}.’'-]+$/u.exec(before)?.[0].toLowerCase() ?? ''
  if (TITLES.has(word)) return false
  // `J. Smith`, `z. B.`, `3. Mai`, `U.S. Navy`: unless what follows begins a sentence of its own.
  const isShort = ABBREVIATIONS.has(word) || /^\p{L}$|^\d{1,4}$|^(?:\p{L}\.)+\p{L}$/u.test(word)
  return !isShort || isStart
}
