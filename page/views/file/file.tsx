/** A file of the home as text: checked as you type, saved only over the version that you saw. */
import { useEffect, useState } from 'preact/hooks'
import { CodeField } from '../../parts/code/code-field.tsx'
import { Button, Empty, say } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { draft } from '../../store/drafts.ts'
import { call, CODES, RpcError } from '../../store/rpc.ts'
import { Loading } from '../inbox/inbox.tsx'
import { type FileProblem, type Preview, type Source, TrustNote, useSaving } from './save-source.tsx'

export function FileView({ path }: { readonly path: string }) {
  const [source, setSource] = useState<Source | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const load = () => {
    setError(null)
    return call<Source>('source.get', { path }).then(setSource, setError)
  }
  useEffect(() => void load(), [path])
  if (error instanceof RpcError && error.code === CODES.missing)
    return (
      <Empty title="This file doesn't exist.">
        <Button
          onClick={() => {
            setError(null)
            setSource({ path, text: '', version: null, problems: [] })
          }}
        >
          Create it
        </Button>
      </Empty>
    )
  if (error instanceof RpcError && error.code === CODES.denied)
    return <Empty title="Only the owner reads and edits files." />
  if (error !== null) return <Empty title={error.message} />
  if (source === null) return <Loading />
  return <Editor key={source.version} source={source} onSaved={setSource} onReload={load} />
}

interface EditorProps {
  readonly source: Source
  readonly onSaved: (source: Source) => void
  readonly onReload: () => void
}

const CHECK_AFTER_MS = 300
/** After a check that didn't come through. */
const CHECK_AGAIN_MS = 2_000

/** The text of each file before its last save here, to put it back. */
const previous = new Map<string, string>()

function Editor({ source, onSaved, onReload }: EditorProps) {
  const { path } = source
  const { text, own, change, save, conflict, dialog } = useEditor(source, onSaved)
  const problems = useProblems(source, text, own)
  const [line, setLine] = useState(() => {
    const asked = Number(new URLSearchParams(location.search).get('line') ?? '')
    return asked > 0 ? { line: asked, at: 0 } : null
  })
  const goTo = (wanted: number) => setLine({ line: wanted, at: Date.now() })
  return (
    <section class="view detail file-view" aria-label={path}>
      <h1 class="wrap">{visible(path)}</h1>
      {conflict === null ? null : <Conflict text={conflict} onReload={onReload} />}
      {source.problems.some(isUntrusted) ? <Untrusted path={path} onPutBack={change} /> : null}
      <CodeField
        label="Text of the file"
        path={path}
        text={text}
        problems={problems}
        goTo={line}
        onInput={change}
        onSave={() => void save().catch(say)}
      />
      <Problems problems={problems} onOpen={goTo} />
      <div class="row end">
        <Button disabled={text === own} onClick={() => change(own)}>
          Undo changes
        </Button>
        <Button tone="primary" disabled={text === own} onClick={save}>
          Save
        </Button>
      </div>
      {dialog}
    </section>
  )
}

function useEditor(source: Source, onSaved: (source: Source) => void) {
  const { path, version } = source
  // A text field knows no other line ends.
  const own = source.text.replaceAll('\r\n', '\n')
  const typed = draft(`file ${path} ${version}`)
  const [text, setText] = useState(typed.value === '' ? own : typed.value)
  const [conflict, setConflict] = useState<string | null>(null)
  const change = (value: string) => {
    setText(value)
    typed.value = value === own ? '' : value
  }
  const refused = async (failure: unknown) => {
    if (!(failure instanceof RpcError && failure.data['conflict'] === true)) throw failure
    setConflict((await call<Source>('source.get', { path })).text)
  }
  const saving = useSaving((saved) => {
    previous.set(path, own)
    typed.value = ''
    onSaved(saved)
    say(saved.problems.some(isUntrusted) ? 'Saved, but not in force yet.' : 'Saved.')
  }, refused)
  const save = async () => {
    const whole = source.text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
    const preview = await call<Preview>('source.preview', { path, text: whole })
    await saving.save(source, preview).catch(refused)
  }
  return { text, own, change, save, conflict, dialog: saving.dialog }
}

function isUntrusted({ code }: FileProblem): boolean {
  return code === 'untrusted'
}

function Conflict({ text, onReload }: { readonly text: string; readonly onReload: () => void }) {
  return (
    <div class="card stack" role="alert">
      <p class="strong">This file was changed in the meantime. The present version:</p>
      <pre class="code">{visible(text)}</pre>
      <div class="row">
        <Button onClick={onReload}>Load the present version</Button>
        <span class="soft small">Your text stays here until you load it.</span>
      </div>
    </div>
  )
}

interface UntrustedProps {
  readonly path: string
  readonly onPutBack: (text: string) => void
}

/** The saved text isn't in force. */
function Untrusted({ path, onPutBack }: UntrustedProps) {
  const before = previous.get(path)
  return (
    <div class="stack" role="status">
      <TrustNote />
      {before === undefined ? null : (
        <p>
          <Button icon="retry" onClick={() => onPutBack(before)}>
            Put the text before my save back
          </Button>
        </p>
      )}
    </div>
  )
}

/** Of the text as it is typed; the hub checks it. */
function useProblems(source: Source, text: string, own: string): readonly FileProblem[] {
  const [problems, setProblems] = useState(source.problems)
  useEffect(() => {
    if (text === own) {
      setProblems(source.problems)
      return
    }
    const stop = new AbortController()
    const check = () => {
      const checked = call<readonly FileProblem[]>('source.check', { path: source.path, text }, stop.signal)
      checked.then(setProblems, () => {
        if (!stop.signal.aborted) timer = setTimeout(check, CHECK_AGAIN_MS)
      })
    }
    let timer = setTimeout(check, CHECK_AFTER_MS)
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
