import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { merge3 } from '../../../src/files/merge/diff3.ts'
import { readDocument } from '../../../src/files/header/document.ts'
import { editDocument } from '../../../src/files/edit/edit-header.ts'
import { closestBase, mergeStale, neoBlockOf } from '../../../src/files/merge/merge-stale.ts'
import { realFile } from '../files.ts'

const written = '---\ntitle: A   # mine\nstatus: pending\n---\nOne\n\n- [ ] a\n- [ ] b\n'
const adopted = editDocument(written, { neo: { id: 't-1', created_at: 'x' } })
const running = editDocument(adopted, { set: { status: 'in_progress' }, neo: { session: 's-1', attempt: 1 } })
const done = editDocument(running, {
  set: { status: 'completed' },
  neo: { completed_at: 'y' },
  body: 'One\n\n- [x] a\n- [x] b\n',
})

function docOf(text: string) {
  const read = readDocument('x.md', text)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.value
}

describe('mergeStale', () => {
  test('starts nothing: an old status in an old buffer gives way to ours', () => {
    const { text, bodyConflict } = mergeStale(adopted, done, adopted)
    expect(text).toBe(done)
    expect(bodyConflict).toBe(false)
  })

  test('gives a buffer from before the adoption its block back, and keeps its comments', () => {
    const { text } = mergeStale(written, done, `${written}more\n`)
    expect(docOf(text).data).toMatchObject({ status: 'completed', neo: { id: 't-1', session: 's-1' } })
    expect(text).toContain('title: A   # mine\n')
    expect(docOf(text).body).toBe('One\n\n- [x] a\n- [x] b\nmore\n')
  })

  test('keeps a status that they changed themselves', () => {
    const theirs = adopted.replace('status: pending', 'status: cancelled')
    expect(docOf(mergeStale(adopted, done, theirs).text).data['status']).toBe('cancelled')
  })

  test('keeps keys that they added, and drops those that they removed', () => {
    const theirs = adopted.replace('title: A   # mine\n', 'labels: [x]\n')
    expect(Object.keys(docOf(mergeStale(adopted, done, theirs).text).data)).toStrictEqual([
      'labels',
      'status',
      'neo',
    ])
  })

  test('removes what we removed since', () => {
    const base = editDocument(adopted, { neo: { blocked: 'budget' } })
    const merged = mergeStale(base, adopted, base.replace('One', 'Two'))
    expect(neoBlockOf(merged.text)).toStrictEqual({ id: 't-1', created_at: 'x' })
  })

  test('lets theirs stand, whole, where both changed the same lines', () => {
    const theirs = adopted.replace('- [ ] a', '- [ ] a better')
    const { text, bodyConflict } = mergeStale(adopted, done, theirs)
    expect(bodyConflict).toBe(true)
    expect(docOf(text).body).toBe(docOf(theirs).body)
    expect(docOf(text).data['status']).toBe('completed')
  })

  test('merges a tick and an edit of the next line', () => {
    const ours = editDocument(running, { body: 'One\n\n- [x] a\n- [ ] b\n' })
    const theirs = adopted.replace('- [ ] b', '- [ ] bee')
    expect(docOf(mergeStale(adopted, ours, theirs).text).body).toBe('One\n\n- [x] a\n- [ ] bee\n')
  })

  test('keeps CRLF and the byte order mark of their buffer', () => {
    const theirs = `\ufeff${adopted.replace('One', 'Two').replaceAll('\n', '\r\n')}`
    const { text } = mergeStale(adopted, done, theirs)
    expect(text.startsWith('\ufeff---\r\n')).toBe(true)
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(docOf(text).body).toBe('Two\r\n\r\n- [x] a\r\n- [x] b\r\n')
  })

  test('merges a buffer without any header', () => {
    const base = '# Fix\n'
    const ours = editDocument(base, { neo: { id: 't-1' } })
    expect(mergeStale(base, ours, '# Fix\nmore\n').text).toBe('---\nneo:\n  id: t-1\n---\n# Fix\nmore\n')
  })

  test('changes nothing in theirs where we changed nothing, and gives ours where they did not', () => {
    fc.assert(
      fc.property(realFile, realFile, (a, b) => {
        fc.pre(a.text.trim() !== '' && !a.text.includes('&') && !b.text.includes('&'))
        const kept = mergeStale(a.text, a.text, b.text)
        expect(docOf(kept.text).body).toBe(docOf(b.text).body)
        const neo = neoBlockOf(b.text) ?? neoBlockOf(a.text)
        expect(neoBlockOf(kept.text)).toStrictEqual(neo)
        expect(docOf(mergeStale(a.text, b.text, a.text).text).data['status']).toStrictEqual(
          docOf(b.text).data['status'],
        )
      }),
      { numRuns: 150 },
    )
  })
})

describe('closestBase', () => {
  const versions = [done, running, adopted, written]

  test('finds the version by its block', () => {
    expect(closestBase(running.replace('One', 'Two'), versions)).toBe(running)
    expect(closestBase(adopted.replace('pending', 'draft'), versions)).toBe(adopted)
  })

  test('finds the most alike among versions with the same block', () => {
    const edited = adopted.replace('One', 'One and more')
    expect(closestBase(`${edited}x\n`, [done, edited, adopted])).toBe(edited)
  })

  test('finds the most alike where the block is gone', () => {
    expect(closestBase(written.replace('One', 'Two'), versions)).toBe(adopted)
    expect(closestBase(editDocument(done, { set: { neo: undefined } }), versions)).toBe(done)
  })

  test('finds the most alike where a person edited the block', () => {
    expect(closestBase(running.replace('attempt: 1', 'attempt: 7'), versions)).toBe(running)
  })

  test('gives null without versions', () => {
    expect(closestBase(written, [])).toBeNull()
  })
})

describe('neoBlockOf', () => {
  test.each([
    ['---\nneo: { id: t-1 }\n---\n', { id: 't-1' }],
    ['---\nneo: x\n---\n', null],
    ['---\nneo: [1]\n---\n', null],
    ['---\nneo:\n---\n', null],
    ['---\na: [\n---\n', null],
    ['text', null],
    ['', null],
  ])('of %j is %j', (text, block) => {
    expect(neoBlockOf(text)).toStrictEqual(block)
  })
})

describe('merge3', () => {
  const lines = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 8 })
    .map((all) => all.join('\n'))

  test('gives the change where only one side has one', () => {
    fc.assert(
      fc.property(lines, lines, (base, other) => {
        expect(merge3(base, base, other)).toBe(other)
        expect(merge3(base, other, base)).toBe(other)
        expect(merge3(base, other, other)).toBe(other)
      }),
    )
  })

  test('gives the same, or the same conflict, from either side', () => {
    fc.assert(
      fc.property(lines, lines, lines, (base, a, b) => {
        expect(merge3(base, a, b)).toBe(merge3(base, b, a))
      }),
      { numRuns: 2000 },
    )
  })

  test('holds both changes where they are apart', () => {
    fc.assert(
      fc.property(lines, lines, lines, (start, middle, end) => {
        const text = (a: string, b: string): string =>
          [start, 'M1', a, 'M2', middle, 'M3', b, 'M4', end].join('\n')
        expect(merge3(text('x', 'y'), text('x2', 'y'), text('x', 'y2'))).toBe(text('x2', 'y2'))
      }),
    )
  })

  test.each([
    ['a\nb\nc', 'a\nX\nc', 'a\nY\nc'],
    ['a\nb', 'a\nX\nb', 'a\nY\nb'],
    ['a\nb\nc', 'a\nc', 'a\nB\nc'],
  ])('sees a conflict in %j, %j and %j', (base, ours, theirs) => {
    expect(merge3(base, ours, theirs)).toBeNull()
  })

  test('merges a text of more lines than a call can have arguments', () => {
    const base = '\n'.repeat(300_000)
    expect(merge3(base, `a${base}`, `${base}b`)).toBe(`a${base}b`)
    const long = 'x\n'.repeat(300_000)
    expect(merge3('', long, '')).toBe(long)
    expect(merge3('a\nb', `${long}b`, 'a\nb\nc')).toBe(`${long}b\nc`)
  })

  test('merges long texts in little time', () => {
    const base = Array.from({ length: 6000 }, (_, at) => `line ${at}`)
    const ours = base.map((line, at) => (at % 2 === 0 ? `${line} x` : line)).join('\n')
    const theirs = [...base, 'end'].join('\n')
    expect(merge3(base.join('\n'), ours, theirs)).not.toBe('')
  })
})
