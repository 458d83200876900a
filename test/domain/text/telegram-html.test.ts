/** Markdown becomes what Telegram takes whole: tags that it knows, closed; and parts that are as long as it counts. */
import fc from 'fast-check'
import { marked } from 'marked'
import { expect, test } from 'vitest'
import { plainOf, splitHtml, splitText, telegramHtml } from '../../../src/domain/text/telegram-html.ts'

const html = (markdown: string) => telegramHtml(marked.lexer(markdown))

/** What makes Telegram refuse the message; null for HTML that it takes. */
function flaw(text: string): string | null {
  const open: string[] = []
  const rest = text.replaceAll(/<(\/?)([a-z]+)((?: [a-z]+="[^"<>]*")?)>/g, (_, end: string, name: string) => {
    if (!['b', 'i', 's', 'code', 'pre', 'a', 'blockquote'].includes(name)) return `<${name}`
    if (end === '') {
      if (name === 'blockquote' && open.includes(name)) return '<nested'
      open.push(name)
    } else if (open.pop() !== name) return `</${name}`
    return ''
  })
  if (/[<>]/.test(rest)) return `a tag: ${rest.slice(0, 80)}`
  if (/&(?!(?:lt|gt|amp|quot);)/.test(rest)) return 'an entity'
  return open.length === 0 ? null : `open: ${open.join()}`
}

test.each([
  ['**bold** and *it* and ~~gone~~', '<b>bold</b> and <i>it</i> and <s>gone</s>'],
  ['`a < b`', '<code>a &lt; b</code>'],
  [
    '```ts\nconst a = "<b>"\n```',
    '<pre><code class="language-ts">const a = &quot;&lt;b&gt;&quot;</code></pre>',
  ],
  ['# Title\n\nText', '<b>Title</b>\n\nText'],
  ['- one\n- two\n  - three', '• one\n• two\n  • three'],
  ['3. one\n4. two', '3. one\n4. two'],
  ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
  ['[page](https://localhost/a?b=1&c=2)', '<a href="https://localhost/a?b=1&amp;c=2">page</a>'],
  ['[run](javascript:alert)', 'run (javascript:alert)'],
  ['> one\n> > two', '<blockquote>one\n\ntwo</blockquote>'],
  ['<name@host> and a < b & c', /name@host[\s\S]* and a &lt; b &amp; c$/],
  ['**unclosed bold', '**unclosed bold'],
  ['<div onclick="x">hi</div>', '&lt;div onclick=&quot;x&quot;&gt;hi&lt;/div&gt;'],
  ['|a|b|\n|-|-|\n|1|22|', '<pre>a | b\n--+---\n1 | 22</pre>'],
  ['a ~~b **c** d~~ <b>x</b>', 'a <s>b <b>c</b> d</s> &lt;b&gt;x&lt;/b&gt;'],
])('%j is written as Telegram takes it', (markdown, expected) => {
  const got = html(markdown)
  if (typeof expected === 'string') expect(got).toBe(expected)
  else expect(got).toMatch(expected)
  expect(flaw(got)).toBeNull()
})

const PIECES = [
  '**',
  '*',
  '_',
  '`',
  '```\n',
  '> ',
  '- ',
  '1. ',
  '# ',
  '[a](',
  'https://h/',
  ')',
  '|',
  '\n',
  '\n\n',
  '<b>',
  '</i>',
  '&',
  '&amp;',
  '<',
  '"',
  '~~',
  '😀',
  'word ',
  '    ',
  '![x](',
  '\\',
  '<a@b>',
  'é',
  '|-|-|\n',
]
const markdowns = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 6 })), { maxLength: 60 })
  .map((parts) => parts.join(''))

test('whatever a model writes, the HTML is whole, and so is every part of it', () => {
  fc.assert(
    fc.property(markdowns, fc.integer({ min: 10, max: 80 }), (markdown, most) => {
      const whole = html(markdown)
      expect(flaw(whole)).toBeNull()
      for (const part of splitHtml(whole, most)) {
        expect(flaw(part)).toBeNull()
        expect(plainOf(part).length).toBeLessThanOrEqual(most)
        expect(Buffer.from(part).toString()).toBe(part)
      }
      const bare = (text: string) => text.replaceAll(/\s/g, '')
      expect(bare(splitHtml(whole, most).map(plainOf).join(''))).toBe(bare(plainOf(whole)))
    }),
    { numRuns: 400 },
  )
})

test.each([
  [4095, 1],
  [4096, 1],
  [4097, 2],
])('%i letters are %i messages, also where they are entities or pairs', (length, count) => {
  expect(splitHtml('x'.repeat(length))).toHaveLength(count)
  expect(splitHtml('&amp;'.repeat(length))).toHaveLength(count)
  expect(splitHtml(`${'x'.repeat(length - 2)}😀`)).toHaveLength(count)
})

test('a long block of code is closed and opened again at each cut, and cut between lines', () => {
  const lines = Array.from({ length: 900 }, (_, n) => `line ${n} <&>`)
  const parts = splitHtml(html(`Look:\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n\nDone.`))
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) expect(flaw(part)).toBeNull()
  expect(parts[1]).toMatch(/^<pre><code class="language-sh">line \d+ /)
  expect(
    parts
      .map(plainOf)
      .join('\n')
      .match(/line \d+ <&>/g),
  ).toHaveLength(900)
})

test('20,000 letters stay in order, and paragraphs whole where they can', () => {
  const paragraphs = Array.from({ length: 100 }, (_, n) => `${n}: ${'word '.repeat(39)}end.`)
  const parts = splitText(paragraphs.join('\n\n'))
  expect(parts.every((part) => part.endsWith('end.') && part.length <= 4096)).toBe(true)
  expect(parts.join('\n\n')).toBe(paragraphs.join('\n\n'))
})
