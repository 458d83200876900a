/** A file of the home as text: checked as you type, saved only over the version that you saw. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Empty, say } from '../parts/controls.tsx'
import { Icon } from '../parts/icons.tsx'
import { visible } from '../parts/text.ts'
import { draft } from '../store/drafts.ts'
import { call, RpcError } from '../store/rpc.ts'
import { Loading } from './inbox.tsx'

interface FileProblem {
  readonly line: number | null
  readonly column: number | null
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint: string
}

interface Source {
  readonly path: string
  readonly text: string
  readonly version: string | null
  readonly problems: readonly FileProblem[]
}

export function FileView({ path }: { readonly path: string }) {
  const [source, setSource] = useState<Source | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = () =>
    call<Source>('source.get', { path }).then(setSource, (failure: Error) => setError(failure.message))
  useEffect(() => void load(), [path])
  if (error !== null) return <Empty title={error} />
  if (source === null) return <Loading />
  return <Editor key={source.version} source={source} onSaved={setSource} onReload={load} />
}

interface EditorProps {
  readonly source: Source
  readonly onSaved: (source: Source) => void
  readonly onReload: () => void
}

const CHECK_AFTER_MS = 300

function Editor({ source, onSaved, onReload }: EditorProps) {
  const { path, version } = source
  const typed = draft(`file ${path} ${version}`)
  const [text, setText] = useState(typed.value === '' ? source.text : typed.value)
  const [conflict, setConflict] = useState<string | null>(null)
  const problems = useProblems(source, text)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const line = Number(new URLSearchParams(location.search).get('line') ?? '')
    if (line > 0) goToLine(field.current, line)
  }, [])
  const change = (value: string) => {
    setText(value)
    typed.value = value === source.text ? '' : value
  }
  const save = async () => {
    try {
      const saved = await call<Source>('source.set', { path, text, version })
      typed.value = ''
      onSaved(saved)
      say('Saved.')
    } catch (failure) {
      const isConflict = failure instanceof RpcError && failure.data['conflict'] === true
      if (!isConflict) throw failure
      setConflict((await call<Source>('source.get', { path })).text)
    }
  }
  return (
    <section class="view detail file-view" aria-label={path}>
      <h1 class="wrap">{visible(path)}</h1>
      {conflict === null ? null : (
        <div class="card stack">
          <p class="strong">This file was changed in the meantime. The present version:</p>
          <pre class="code">{visible(conflict)}</pre>
          <div class="row">
            <Button onClick={onReload}>Load the present version</Button>
            <span class="soft small">Your text stays here until you load it.</span>
          </div>
        </div>
      )}
      <textarea
        ref={field}
        class="mono source"
        aria-label="Text of the file"
        spellcheck={false}
        rows={24}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          save().catch(say)
        }}
      />
      <Problems problems={problems} onOpen={(line) => goToLine(field.current, line)} />
      <div class="row end">
        <Button disabled={text === source.text} onClick={() => change(source.text)}>
          Undo changes
        </Button>
        <Button tone="primary" disabled={text === source.text} onClick={save}>
          Save
        </Button>
      </div>
    </section>
  )
}

/** Of the text as it is typed; the hub checks it. */
function useProblems(source: Source, text: string): readonly FileProblem[] {
  const [problems, setProblems] = useState(source.problems)
  useEffect(() => {
    if (text === source.text) {
      setProblems(source.problems)
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const checked = call<readonly FileProblem[]>('source.check', { path: source.path, text }, stop.signal)
      checked.then(setProblems, () => {})
    }, CHECK_AFTER_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, source])
  return problems
}

interface ProblemsProps {
  readonly problems: readonly FileProblem[]
  readonly onOpen: (line: number) => void
}

function Problems({ problems, onOpen }: ProblemsProps) {
  if (problems.length === 0) return <p class="soft small">No problems.</p>
  return (
    <ul class="stack" aria-label="Problems">
      {problems.map(({ line, column, severity, message, hint }) => (
        <li key={`${line}:${column}:${message}`} class={severity === 'error' ? 'bad-text' : 'wait-text'}>
          <Icon name="warning" />{' '}
          {line === null ? null : (
            <button type="button" class="link" onClick={() => onOpen(line)}>
              line {line}
            </button>
          )}{' '}
          {visible(message)} <span class="soft">{visible(hint)}</span>
        </li>
      ))}
    </ul>
  )
}

/** Selects the line and scrolls to it. */
function goToLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return
  const lines = field.value.split('\n')
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
  field.focus()
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  const height = Number.parseFloat(getComputedStyle(field).lineHeight) || 18
  field.scrollTop = Math.max(0, (line - 4) * height)
}
