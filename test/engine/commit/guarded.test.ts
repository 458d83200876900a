/** Work that holds the value of a secret does not merge by itself, and nothing shows the value. */
import { expect, test } from 'vitest'
import { makeHome, runbook } from '../../path/home.ts'

const VALUE = 'k9QvT2mZx7Lp4Rw8'
const ROWS: Readonly<Record<string, readonly [step: string, path: string]>> = {
  plain: ['echo "key: $WORK_KEY" > plain.txt', 'plain.txt'],
  base64: ['printf %s "$WORK_KEY" | base64 > base64.txt', 'base64.txt'],
  binary: ['printf "\\0\\1%s\\0" "$WORK_KEY" > binary.bin', 'binary.bin'],
  utf16: ['printf %s "$WORK_KEY" | iconv -t UTF-16LE > utf16.txt', 'utf16.txt'],
  name: ['echo x > "name-$WORK_KEY.txt"', 'name-***.txt'],
  link: ['ln -s "$WORK_KEY" link', 'link'],
}

test('a secret value in the work waits in review with its path, in whatever form; other work merges', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nworker: shell\nenv: [WORK_KEY]\n---\n' })
  home.write('.env', `WORK_KEY=${VALUE}\n`)
  for (const [name, [step]] of Object.entries(ROWS)) home.task(name, runbook([step], ['review: none']))
  home.task('other', runbook(['echo fine > other.txt'], ['review: none']))
  await home.run()
  const said = Object.keys(ROWS).map((name) => [name, home.status(name), home.neo(name, 'hold') ?? ''])
  expect(said).toEqual(
    Object.entries(ROWS).map(([name, [, path]]) => [
      name,
      'review',
      `holds a secret value from the environment: workspace/files/${path}`,
    ]),
  )
  expect(home.status('other')).toBe('completed')
  expect(home.git('log', '-p', '--text', 'main')).not.toContain(VALUE)
})
