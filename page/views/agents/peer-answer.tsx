/** The answer of another agent, with what it is based on. */
import { Markdown } from '../../parts/markdown.tsx'
import { visible } from '../../parts/text.ts'
import type { AnswerOf } from './agent-types.ts'

export function PeerAnswer({ answer, from }: { readonly answer: AnswerOf; readonly from: string }) {
  const { summary, progress, blockers = [], contextRefs } = answer
  return (
    <article class="peer-answer stack" aria-label={`Answer of ${visible(from)}`}>
      {summary === '' ? null : <Markdown text={summary} />}
      {progress === undefined ? null : <p>Progress: {Math.round(progress)} %</p>}
      {blockers.length === 0 ? null : (
        <div>
          <p class="strong">Blocked by</p>
          <ul class="dotted">
            {blockers.map((blocker) => (
              <li key={blocker}>{visible(blocker)}</li>
            ))}
          </ul>
        </div>
      )}
      {contextRefs.length === 0 ? (
        <p class="soft small">It names nothing that the answer is based on.</p>
      ) : (
        <div>
          <p class="strong">Based on</p>
          <ul class="dotted">
            {contextRefs.map(({ type, ref, summary: what }) => (
              <li key={`${type} ${ref}`} class="wrap">
                <span class="soft">{visible(type)}</span> <code>{visible(ref)}</code>{' '}
                {what === undefined ? '' : visible(what)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </article>
  )
}
