/**
 * Flags that set keys of a file's header: kind, allowed values and description come from the key's shape in
 * `files/kinds/`, from which the hub's parameters are made too.
 */
import { camelCase } from '../../files/values/header-values.ts'
import type { Shape } from '../../files/values/shape.ts'
import type { Option } from '../spec.ts'

type HeaderKeys = Readonly<Record<string, Shape<unknown>>>

/** A key and its help in this command; `value` is what the help shows in `<…>`. */
type Flag<K> = readonly [
  key: keyof K & string,
  about: string,
  more?: { readonly value?: string; readonly choices?: readonly string[] },
]

/**
 * @param entries flags of keys, and options of the command's own, in the order of the help
 * @param byHand keys that are set in the file only; if given, all other keys follow, described as in the file
 */
export function headerFlags<const K extends HeaderKeys>(
  keys: K,
  entries: readonly (Option | Flag<K>)[],
  byHand?: readonly (keyof K)[],
): readonly Option[] {
  const named = entries.flatMap((entry) => ('flags' in entry ? [] : [entry[0]]))
  const others = byHand === undefined ? [] : Object.keys(keys).filter((key) => !byHand.includes(key))
  const rest = others.filter((key) => !named.includes(key))
  return [...entries, ...rest.map((key): Flag<K> => [key, keys[key]?.description ?? ''])].map((entry) =>
    'flags' in entry ? entry : optionOf(keys[entry[0]], entry),
  )
}

/** `labels` is filled by `--label`, `depends_on` by `--depends-on`. */
function optionOf<K>(shape: Shape<unknown> | undefined, [key, about, more = {}]: Flag<K>): Option {
  const isList = shape?.kind === 'list'
  const flag = (isList ? key.replace(/s$/, '') : key).replaceAll('_', '-')
  const choices = more.choices ?? (shape?.kind === 'choice' ? shape.of : undefined)
  return {
    flags: `--${flag} <${more.value ?? flag}>`,
    about,
    param: camelCase(key),
    ...(choices === undefined ? {} : { choices }),
    ...(isList ? { many: true } : {}),
  }
}
