/** A diff by file: the list of files, and each file's rows, which fold. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Comments } from './diff-comments.ts'
import type { DiffFile } from './diff-parse.ts'
import { FileRows, type Layout } from './diff-rows.tsx'
import { Icon } from '../icons.tsx'
import { bindKey } from '../keys/keys.ts'
import { count, number, visible } from '../text.ts'
import '../../style/diff.css'

export type { Layout } from './diff-rows.tsx'

/** A file with more rows is folded at first, and all that come after this many rows. */
const LONG_FILE = 400
const LONG_DIFF = 2_000

interface DiffProps {
  readonly files: readonly DiffFile[]
  readonly layout: Layout
  readonly comments: Comments
}

export function Diff({ files, layout, comments }: DiffProps) {
  const [folded, setFolded] = useState(() => foldedAtFirst(files))
  useEffect(() => setFolded(foldedAtFirst(files)), [files])
  const element = useRef<HTMLDivElement>(null)
  const place = useNarrow(element)
  const fold = (path: string, isFolded: boolean) =>
    setFolded((before) => {
      const next = new Set(before)
      if (isFolded) next.add(path)
      else next.delete(path)
      return next
    })
  useFileKeys(element)
  const show = (path: string) => {
    fold(path, false)
    const index = files.findIndex((file) => file.path === path)
    requestAnimationFrame(() => goToFile(element.current, index))
  }
  return (
    <div class="diff" ref={element}>
      {files.length < 2 ? null : <FileList files={files} comments={comments} onShow={show} />}
      {files.map((file) => (
        <FileBlock
          key={file.path}
          file={file}
          layout={place === 'narrow' ? 'inline' : layout}
          comments={comments}
          isFolded={folded.has(file.path)}
          onFold={(isFolded) => fold(file.path, isFolded)}
        />
      ))}
    </div>
  )
}

function foldedAtFirst(files: readonly DiffFile[]): ReadonlySet<string> {
  const folded = new Set<string>()
  let rows = 0
  for (const file of files) {
    const own = file.hunks.reduce((sum, hunk) => sum + hunk.rows.length, 0)
    rows += own
    if (own > LONG_FILE || rows > LONG_DIFF) folded.add(file.path)
  }
  return folded
}

const NARROW = 820

/** Two columns need a wide place: in the panel and on a phone there is one. */
function useNarrow(element: { readonly current: HTMLElement | null }): 'narrow' | 'wide' {
  const [place, setPlace] = useState<'narrow' | 'wide'>('wide')
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setPlace(entry.contentRect.width < NARROW ? 'narrow' : 'wide')
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return place
}

function useFileKeys(element: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const step = (by: number) => () => {
      const heads = [...(element.current?.querySelectorAll('.file-head') ?? [])]
      const now = heads.findIndex((head) => head.parentElement?.contains(document.activeElement) === true)
      goToFile(element.current, now === -1 ? 0 : Math.min(heads.length - 1, Math.max(0, now + by)))
    }
    const stops = [bindKey('j', 'Next file', step(1)), bindKey('k', 'Previous file', step(-1))]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}

function goToFile(diff: HTMLElement | null, index: number): void {
  const head = diff?.querySelectorAll<HTMLElement>('.file-head')[index]
  head?.scrollIntoView({ block: 'start' })
  head?.querySelector('button')?.focus({ preventScroll: true })
}

interface FileListProps extends Pick<DiffProps, 'files' | 'comments'> {
  readonly onShow: (path: string) => void
}

function FileList({ files, comments, onShow }: FileListProps) {
  return (
    <nav class="file-list card" aria-label="Changed files">
      <ul>
        {files.map((file) => (
          <li key={file.path}>
            <button type="button" onClick={() => onShow(file.path)}>
              <span class="clip-start">{visible(file.path)}</span>
              <CommentCount file={file} comments={comments} />
              <Counts file={file} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export function Counts({ file }: { readonly file: Pick<DiffFile, 'added' | 'removed'> }) {
  return (
    <span class="counts num small">
      <span class="added">+{number(file.added)}</span> <span class="removed">−{number(file.removed)}</span>
    </span>
  )
}

function CommentCount({ file, comments }: { readonly file: DiffFile; readonly comments: Comments }) {
  const own = comments.all().filter(({ path }) => path === file.path).length
  return own === 0 ? null : <span class="badge quiet">{count(own, 'comment')}</span>
}

interface FileBlockProps {
  readonly file: DiffFile
  readonly layout: Layout
  readonly comments: Comments
  readonly isFolded: boolean
  readonly onFold: (isFolded: boolean) => void
}

function FileBlock({ file, layout, comments, isFolded, onFold }: FileBlockProps) {
  const name = file.from === null ? file.path : `${file.from} → ${file.path}`
  return (
    <section class="file" aria-label={visible(file.path)}>
      <h2 class="file-head">
        <button type="button" aria-expanded={!isFolded} onClick={() => onFold(!isFolded)}>
          <Icon name="chevron" />
          <span class="grow min0 file-name">{visible(name)}</span>
          {file.change === 'modified' ? null : <span class="label">{file.change}</span>}
          <CommentCount file={file} comments={comments} />
          <Counts file={file} />
        </button>
      </h2>
      {isFolded ? null : <FileBody file={file} layout={layout} comments={comments} />}
    </section>
  )
}

function FileBody({ file, layout, comments }: Pick<FileBlockProps, 'file' | 'layout' | 'comments'>) {
  const note = file.isBinary
    ? 'A binary file. It has no lines to show.'
    : file.hunks.length === 0 && file.note === ''
      ? 'No lines changed.'
      : ''
  return (
    <>
      {file.note === '' && note === '' ? null : (
        <p class="soft small file-note">
          {[visible(file.note), note].filter((text) => text !== '').join('. ')}
        </p>
      )}
      {file.hunks.length === 0 ? null : <FileRows file={file} layout={layout} comments={comments} />}
    </>
  )
}
