import { describe, expect, test } from 'vitest'
import { readTask } from '../../../src/files/kinds/read-task.ts'
import { cpuMs } from '../../wait.ts'
import { fillTemplate, readTemplate } from '../../../src/files/kinds/read-template.ts'

const SOURCE = `---
title: Release {{version}}
worker: shell   # runs here
params:
  version: { type: text, description: The version }
  count: { type: number, default: 3 }
  dry: { type: boolean, default: true }
---
Release {{ version }} {{count}} times.

\`\`\`sh
echo "$version" {{version}}
\`\`\`

\`\`\`text
{{version}}
\`\`\`
`

function filled(source: string, params: Record<string, string>) {
  const done = fillTemplate(source, params)
  if (done.kind === 'bad') throw new Error(JSON.stringify(done.problems))
  return done
}

function messagesOf(source: string, params: Record<string, string>): string[] {
  const done = fillTemplate(source, params)
  return done.kind === 'bad' ? done.problems.map(({ message }) => message) : []
}

describe('readTemplate', () => {
  test('gives title and parameters', () => {
    expect(readTemplate('templates/tasks/release.md', SOURCE)).toMatchObject({
      kind: 'ok',
      value: {
        title: 'Release {{version}}',
        params: [
          { name: 'version', type: 'text', description: 'The version' },
          { name: 'count', type: 'number', default: '3', description: '' },
          { name: 'dry', type: 'boolean', default: 'true', description: '' },
        ],
      },
    })
  })

  test('takes a name alone for a text', () => {
    expect(readTemplate('x.md', '---\nparams:\n  who:\n---\nx')).toMatchObject({
      value: { params: [{ name: 'who', type: 'text' }] },
    })
  })

  test.each([
    ['params: { PATH: { type: text } }', 'invalid parameter name "PATH"'],
    ['params: { a: { type: list } }', 'params.a.type: invalid value "list"'],
    ['params: [a]', 'params: unexpected list'],
    ['status: done', 'status: invalid value "done"'],
  ])('refuses %j', (line, message) => {
    const read = readTemplate('x.md', `---\n${line}\n---\nx`)
    expect(read).toMatchObject({ kind: 'bad', problems: [{ message: expect.stringContaining(message) }] })
  })

  test('calls an open code fence unfinished', () => {
    expect(readTemplate('x.md', '```sh\n')).toMatchObject({ kind: 'unfinished' })
  })
})

describe('fillTemplate', () => {
  test('fills title and prose in, and gives shell blocks their values as environment', () => {
    const { text, env } = filled(SOURCE, { version: '1.10' })
    expect(env).toStrictEqual({ version: '1.10', count: '3', dry: 'true' })
    expect(text).toContain('title: Release 1.10\nworker: shell   # runs here\n')
    expect(text).toContain(
      'Release 1.10 3 times.\n\n```sh\necho "$version" {{version}}\n```\n\n```text\n1.10\n```\n',
    )
  })

  test('keeps the values in the task, as text', () => {
    const { text } = filled(SOURCE, { version: '1.10' })
    const read = readTask('x.md', text, 'UTC')
    expect(read).toMatchObject({
      kind: 'ok',
      warnings: [],
      value: { params: { version: '1.10', count: '3', dry: 'true' } },
    })
  })

  test('quotes a title that would be no YAML', () => {
    expect(filled(SOURCE, { version: '2: "now" #1' }).text).toContain('title: "Release 2: \\"now\\" #1"\n')
  })

  test.each([
    [SOURCE, {}, 'parameter "version" (text) is missing'],
    [SOURCE, { version: '1', count: 'x' }, 'parameter "count": "x" is not a number'],
    [SOURCE, { version: '1', dry: 'maybe' }, 'parameter "dry": "maybe" is not a boolean'],
    [
      SOURCE,
      { version: '1', vresion: '2' },
      'unknown parameter "vresion"; known parameters are version, count, dry',
    ],
    ['---\ntitle: x\n---\n{{who}}', {}, '{{who}} is not a parameter of the template'],
    ['{{ a b }}', {}, '{{ a b }} is not a parameter'],
    [SOURCE, { version: '1\n```sh\nrm -rf x\n```\n' }, 'a parameter value changes the shell blocks'],
    [SOURCE, { version: '1\n<!--' }, 'a parameter value changes the shell blocks'],
    [SOURCE, { version: '1\n```\n' }, 'a parameter value changes the shell blocks'],
    ['---\nparams: { toString: {} }\n---\nx', {}, 'invalid parameter name "toString"'],
  ])('refuses what is not exactly right', (source, params, message) => {
    expect(messagesOf(source, params).join('\n')).toContain(message)
  })

  test('refuses a key other than the title that holds a parameter', () => {
    expect(messagesOf('---\nworkspace: "{{a}}"\nparams: { a: { default: x } }\n---\nx', {})[0]).toContain(
      'workspace',
    )
  })

  test('an opening mark with a long blank after it costs no time', () => {
    const source = `x {{${' '.repeat(20_000)}y`
    expect(cpuMs(() => expect(filled(source, {}).text).toBe(source))).toBeLessThan(8_000)
  })

  test('fills a template without parameters in', () => {
    expect(filled('---\ntitle: A\n---\nx', {})).toMatchObject({ text: '---\ntitle: A\n---\nx', env: {} })
  })
})
