/**
 * What of a repository's own configuration counts for our git: an allow list of keys, and the text of a configuration
 * file with them. Pure. Invariant 1: no key that names a program, a hook, an include or a file to write is on the list;
 * a filter is taken only if a person has allowed it, and always runs in an empty folder, so that it cannot load code
 * from a work tree.
 */
import { shellWord } from '../../../domain/text/shell-word.ts'

/** An entry of `git config --list --show-scope`. */
export interface Entry {
  /** `local` and `worktree` are the repository's own. */
  readonly scope: string
  /** Section and name are in lower case. */
  readonly key: string
  readonly value: string
}

/** The commands of one filter, as they are configured. */
export interface Filter {
  readonly name: string
  /** By `clean`, `smudge`, `process`, `required`. */
  readonly settings: ReadonlyMap<string, string>
}

const PLAIN = new Set(
  [
    'core: repositoryformatversion filemode ignorecase symlinks precomposeunicode protecthfs protectntfs autocrlf eol',
    'core: safecrlf checkroundtripencoding logallrefupdates sparsecheckout sparsecheckoutcone trustctime checkstat',
    'core: bigfilethreshold compression loosecompression sharedrepository attributesfile excludesfile longpaths',
    'extensions: objectformat partialclone refstorage',
    'user: name email signingkey',
    'author: name email',
    'committer: name email',
    'commit: gpgsign',
    'gpg: format',
    'merge: renames renamelimit directoryrenames conflictstyle renormalize',
    'diff: renames renamelimit algorithm indentheuristic',
    'i18n: commitencoding',
    'gc: auto autopacklimit pruneexpire reflogexpire reflogexpireunreachable packrefs',
    'lfs: url pushurl fetchinclude fetchexclude concurrenttransfers skipdownloaderrors repositoryformatversion',
    `http: ${'proxy proxyauthmethod sslverify sslcainfo sslcapath sslcert sslkey sslversion extraheader version'}`,
    `http: ${'postbuffer lowspeedlimit lowspeedtime useragent followredirects emptyauth'}`,
    'credential: username usehttppath',
    'protocol: version',
  ].flatMap((line) => {
    const [section = '', names = ''] = line.split(': ')
    return names.split(' ').map((name) => `${section}.${name}`)
  }),
)

/** Of sections that have a name of their own between them and the key. */
const NAMED = new Set([
  ...'url pushurl fetch push tagopt promisor partialclonefilter lfsurl lfspushurl proxy'
    .split(' ')
    .map((name) => `remote.${name}`),
  ...['branch.remote', 'branch.merge', 'url.insteadof', 'url.pushinsteadof'],
  ...['lfs.access', 'lfs.locksverify'],
])

/** Keys with an address between section and name, of which each is also allowed without. */
const BY_ADDRESS = new Set(['http', 'credential'])
/** The name of a credential helper of git's, without arguments: `store`, `osxkeychain`; no shell line, no path. */
const BY_NAME = /^[a-z][a-z-]*$/

/** How commits are signed, by what the person set. */
export interface SignSettings {
  readonly asked: boolean
  /** `openpgp`, `ssh`, `x509`. */
  readonly format: string
  /** Of the user's own configuration alone. */
  readonly program: string
  readonly key: string | null
  /** `Name <email>`, which names the key if no other is set. */
  readonly ident: string | null
}

const SIGNERS: Readonly<Record<string, string>> = { openpgp: 'gpg', x509: 'gpgsm', ssh: 'ssh-keygen' }

export function signSettings(entries: readonly Entry[]): SignSettings {
  const last = (key: string, among: readonly Entry[] = entries) =>
    among.filter((entry) => entry.key === key).at(-1)?.value || null
  const users = entries.filter((entry) => !isOwn(entry))
  const format = last('gpg.format')?.toLowerCase() ?? 'openpgp'
  const named =
    last(`gpg.${format}.program`, users) ?? (format === 'openpgp' ? last('gpg.program', users) : null)
  const [name, email] = [last('user.name'), last('user.email')]
  return {
    asked: /^(?:true|yes|on|[1-9]\d*)$/i.test(last('commit.gpgsign') ?? ''),
    format,
    program: named ?? SIGNERS[format] ?? 'gpg',
    key: last('user.signingkey'),
    ident: name === null || email === null ? null : `${name} <${email}>`,
  }
}

export function isOwn({ scope }: Entry): boolean {
  return scope === 'local' || scope === 'worktree'
}

/** True for a key that can start nothing. */
export function isAllowed({ key, value }: Pick<Entry, 'key' | 'value'>): boolean {
  const { section, middle, name } = partsOf(key)
  const plain = `${section}.${name}`
  if (plain === 'credential.helper') return value === '' || BY_NAME.test(value)
  if (middle === null) return PLAIN.has(plain)
  return NAMED.has(plain) || (BY_ADDRESS.has(section) && PLAIN.has(plain))
}

export function partsOf(key: string): { section: string; middle: string | null; name: string } {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  return {
    section: key.slice(0, first),
    middle: first === last ? null : key.slice(first + 1, last),
    name: key.slice(last + 1),
  }
}

const FILTER_COMMANDS = ['clean', 'smudge', 'process']
const FILTER_KEYS = [...FILTER_COMMANDS, 'required']

/** The filters that these entries define, by name; the last value of each key counts. */
export function filtersIn(entries: readonly Entry[]): ReadonlyMap<string, Filter> {
  const found = new Map<string, Map<string, string>>()
  for (const { key, value } of entries) {
    const { section, middle, name } = partsOf(key)
    if (section !== 'filter' || middle === null || !FILTER_KEYS.includes(name)) continue
    const settings = found.get(middle) ?? new Map<string, string>()
    found.set(middle, settings.set(name, value))
  }
  return new Map([...found].map(([name, values]) => [name, { name, settings: values }]))
}

/** Names of the merge drivers that these entries define. */
export function driversIn(entries: readonly Entry[]): readonly string[] {
  const names = entries.flatMap(({ key }) => {
    const { section, middle, name } = partsOf(key)
    return section === 'merge' && middle !== null && name === 'driver' ? [middle] : []
  })
  return [...new Set(names)]
}

/** The file: allowed entries, `filters` made safe, and each merge driver of the repository's own replaced by a conflict. */
export function renderConfig(
  entries: readonly Entry[],
  of: { readonly filters: Iterable<Filter>; readonly empty: string },
): string {
  const own = entries.filter(isOwn)
  const lines = own.filter(isAllowed).map(({ key, value }) => configLine(key, value))
  const drivers = driversIn(own).map((name) => configLine(`merge.${name}.driver`, 'false'))
  const filters = [...of.filters].flatMap((filter) => filterLines(filter, of.empty))
  return ['[core]\n\tbare = false', ...lines, ...drivers, ...filters, ''].join('\n')
}

/**
 * A filter is started in `empty`: `python3 -m x`, `npx x` or `./x` would load what is in the work tree. One that fails
 * stops git: else git would store the file as it is.
 */
function filterLines({ name, settings }: Filter, empty: string): readonly string[] {
  const command = (key: string) => (settings.get(key) ?? '').trim()
  const wanted = command('process') === '' ? ['clean', 'smudge'] : FILTER_COMMANDS
  return [
    ...wanted.map((key) => {
      const value = command(key)
      if (value === '') return configLine(`filter.${name}.${key}`, key === 'process' ? '' : 'cat')
      // Git takes `%f` apart in these two.
      const folder = key === 'process' ? shellWord(empty) : shellWord(empty).replaceAll('%', '%%')
      return configLine(`filter.${name}.${key}`, `cd ${folder} && ${value}`)
    }),
    configLine(`filter.${name}.required`, 'true'),
  ]
}

/** An entry as a file has it. */
export function configLine(key: string, value: string): string {
  const { section, middle, name } = partsOf(key)
  const header = middle === null ? `[${section}]` : `[${section} "${middle.replace(/["\\]/g, '\\$&')}"]`
  return `${header}\n\t${name} = "${escaped(value)}"`
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t' }

function escaped(value: string): string {
  return value.replace(/[\\"\n\t]/g, (one) => ESCAPES[one] ?? one)
}
