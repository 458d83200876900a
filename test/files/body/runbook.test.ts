import { describe, expect, test } from 'vitest'
import { countBoxes, endsInBlock, firstHeading } from '../../../src/files/body/markdown.ts'
import { stepsOf } from '../../../src/files/body/runbook.ts'
import { cpuMs } from '../../wait.ts'

function stepsIn(body: string) {
  const read = stepsOf({ body, bodyLine: 10 })
  if ('wrong' in read) throw new Error(read.wrong)
  return read.steps
}

function scriptsIn(body: string): string[] {
  return stepsIn(body).map(({ script }) => script)
}

describe('stepsOf', () => {
  test('gives sh and bash blocks in order, with names, limits and lines', () => {
    const body =
      'Do it:\n\n```sh name=build timeout=5m\nnpm ci\nnpm run build\n```\n\n```bash continue_on_error name="run it"\nls\n```\n```sh\n```\n'
    expect(stepsIn(body)).toStrictEqual([
      {
        shell: 'sh',
        name: 'build',
        script: 'npm ci\nnpm run build\n',
        timeoutMs: 300_000,
        continueOnError: 'no',
        line: 12,
      },
      { shell: 'bash', name: 'run it', script: 'ls\n', continueOnError: 'yes', line: 17 },
      { shell: 'sh', name: 'step 3', script: '', continueOnError: 'no', line: 20 },
    ])
  })

  test.each([
    '```js\nx\n```\n',
    '```\nx\n```\n',
    '```sh-session\n$ x\n```\n',
    '`sh`\n',
    '    ```sh\n    x\n    ```\n',
    'a\n    ```sh\n',
    '> ```sh\n> x\n> ```\n',
    '<!--\n```sh\nx\n```\n-->\n',
    '<!-- ```sh -->\nx\n',
    '``` a`b sh\n',
  ])('finds no step in %j', (body) => {
    expect(stepsIn(body)).toStrictEqual([])
  })

  test.each([
    ['a longer fence', '````sh\necho "```"\n```\n````\n', ['echo "```"\n```\n']],
    ['a longer closing fence', '```sh\nx\n`````\ny\n', ['x\n']],
    ['tildes around backticks', '~~~sh\n```\n~~~\n', ['```\n']],
    ['a fence of three columns', '   ```sh\n   x\n     y\n z\n   ```\n', ['x\n  y\nz\n']],
    [
      'a fence in a list',
      '1. first\n\n   ```sh\n   x\n   ```\n2. second\n   ```sh\n   cat <<E\n    y\n   E\n   ```\n',
      ['x\n', 'cat <<E\n y\nE\n'],
    ],
    ['a fence in a nested list', '- a\n  - b\n\n    ```sh\n    x\n    ```\n', ['x\n']],
    ['a fence on the line of a list mark', '- ```sh\n  x\n  ```\n- y\n', ['x\n']],
    ['a fence that closes left of its list', '- a\n  ```sh\n  x\n```\ny\n', ['x\n']],
    ['a fence after a list has ended', '- a\n\nb\n\n```sh\nx\n```\n', ['x\n']],
    ['tabs', '-\ta\n\n\t```sh\n\tx\n\t```\n', ['x\n']],
    ['CRLF', '```sh\r\nx\r\ny\r\n```\r\n', ['x\ny\n']],
    ['a blank after the fence', '``` sh name=a\nx\n```  \n', ['x\n']],
    ['payload that looks like a header', '```sh\n---\nstatus: x\n---\n```\n', ['---\nstatus: x\n---\n']],
    ['a comment before', '<!-- one -->\n```sh\nx\n```\n', ['x\n']],
  ])('reads %s', (_what, body, scripts) => {
    expect(scriptsIn(body)).toStrictEqual(scripts)
  })

  test.each([
    ['```sh timout=5m\nx\n```\n', 'unknown block attribute "timout"; did you mean "timeout"?'],
    [
      '```sh {.numbered}\nx\n```\n',
      'unknown block attribute "{.numbered}"; use name, timeout, continue_on_error',
    ],
    ['```sh timeout=soon\nx\n```\n', 'timeout: invalid value "soon"; use a duration such as 30s, 5m or 2h'],
    ['```sh timeout=0\nx\n```\n', 'timeout: invalid value "0"; use a duration'],
    ['```sh name=\nx\n```\n', 'name is empty; use a name such as name=build'],
    ['```sh name="a\nx\n```\n', 'invalid block attribute "name=\\"a"; use key=value'],
    [
      '```sh continue_on_error=maybe\nx\n```\n',
      'continue_on_error: invalid value "maybe"; use true or false',
    ],
    ['```sh\nx\n', 'The code fence is not closed'],
  ])('gives no steps at all for %j', (body, wrong) => {
    expect(stepsOf({ body: `text\n${body}`, bodyLine: 10 })).toStrictEqual({
      wrong: expect.stringContaining(wrong),
      line: 11,
    })
  })

  test('takes continue_on_error=false for no', () => {
    expect(stepsIn('```sh continue_on_error=false\nx\n```\n')[0]).toMatchObject({ continueOnError: 'no' })
    expect(stepsIn("```sh name='a b' continue_on_error=yes\nx\n```\n")[0]).toMatchObject({
      name: 'a b',
      continueOnError: 'yes',
    })
  })
})

describe('countBoxes', () => {
  test('counts boxes outside of blocks and comments', () => {
    const body =
      '- [ ] a\n* [x] b\n  1. [X] c\n- [y] no\n- [ ]no\n```\n- [x] code\n```\n<!--\n- [x] comment\n-->\n- [ ]\n'
    expect(countBoxes(body)).toStrictEqual({ done: 2, total: 4 })
  })

  test('counts nothing where there is nothing', () => {
    expect(countBoxes('text [link](x)')).toStrictEqual({ done: 0, total: 0 })
  })
})

describe('endsInBlock', () => {
  test.each(['```\n', 'a\n~~~ x\ny', '````\n```\n', '- ```sh\n  x\n'])(
    'sees the open fence of %j',
    (body) => {
      expect(endsInBlock(body)).toBe(true)
    },
  )

  test.each(['', 'a', '```\n```', '~~~\n```\n~~~\n', 'use ```x``` here\n', '<!--\n```\n-->'])(
    'sees none in %j',
    (body) => {
      expect(endsInBlock(body)).toBe(false)
    },
  )
})

describe('scanBody', () => {
  test.each([' ', '\t', '#', '`', '- ', '> ', '\n', '[', '<!--', '``` ', '# a '])(
    'stays linear over many of %j',
    (part) => {
      const bodies = [
        part.repeat(100_000),
        `\`\`\`${part.repeat(50_000)}x`,
        `# ${part.repeat(50_000)}x`,
        `- ${part.repeat(50_000)}x`,
      ]
      const took = cpuMs(() => {
        for (const body of bodies) {
          endsInBlock(`${body}\n\`\`\`\n\`\`\``)
          firstHeading(body)
          countBoxes(`${body}[ ]`)
        }
      })
      expect(took).toBeLessThan(8_000)
    },
  )
})

describe('firstHeading', () => {
  test.each([
    ['# A\n## B', 'A'],
    ['text\n### C ##\n', 'C'],
    ['#hash\n', null],
    ['```\n# code\n```\n', null],
    ['#\n# D', 'D'],
  ])('of %j is %j', (body, heading) => {
    expect(firstHeading(body)).toBe(heading)
  })
})

test.each(['shell', 'Shell', 'SH', 'Bash'])('a block in %s runs', (word) => {
  expect(stepsOf({ body: `\`\`\`${word} name=a\necho\n\`\`\`\n`, bodyLine: 1 })).toMatchObject({
    steps: [{ name: 'a' }],
    skipped: [],
  })
})

test.each(['zsh', 'console', 'bash-session', 'PowerShell'])('a block in %s is not run, and named', (word) => {
  const body = `\`\`\`sh\necho\n\`\`\`\n\`\`\`${word}\necho\n\`\`\`\n\`\`\`json\n{}\n\`\`\`\n`
  expect(stepsOf({ body, bodyLine: 1 })).toMatchObject({
    steps: [{ name: 'step 1' }],
    skipped: [`the ${word} block in line 4`],
  })
})
