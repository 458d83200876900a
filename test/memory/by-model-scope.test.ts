/** Conversations summarised by hand: through the hub and the command; what failed is in status; what is purged stays away. */
import { expect, test } from 'vitest'
import { openMind } from '../../src/compose-orchestrator.ts'
import { dataOf, neo } from '../cli/program.ts'
import { hubHome } from '../hub/hub-home.ts'
import { makeHome, until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { user } from './said.ts'

const MARKER = 'the marker 5c1e'
const SCOPE = 'telegram-m1'
const FOLDER = `.git/neo/scopes/${SCOPE}`
const TALK = Array.from({ length: 8 }, (_, n) => user(`message ${n} of ${MARKER}`, 'member:m-one')).join('')
const answer = JSON.stringify({ summary: `They spoke of ${MARKER}.`, facts: [] })

function talkedIn(home: { write(path: string, text: string): void }): void {
  home.write(`${FOLDER}/scope.json`, '{"key":"telegram:1"}')
  home.write(`${FOLDER}/transcripts/neo-${SCOPE}-2026-03-01-1.jsonl`, TALK)
}

test('scope.distill has a conversation summarised in its own folder, once', async () => {
  const model = await startModel(() => answer)
  const { home, call } = await hubHome({
    'neo.yaml': `${model.config}memory: { distill: model, window: 6 }\n`,
  })
  talkedIn(home)
  const report = await call('scope.distill', { scopeId: SCOPE })
  expect(report).toMatchObject({ kind: 'done', notes: 8, summarised: 8, trouble: '' })
  expect(home.read(`${FOLDER}/HISTORY.md`)).toContain(MARKER)
  expect(await call('scope.distill', { scopeId: SCOPE })).toMatchObject({ kind: 'nothing', summarised: 0 })
  expect([model.asked.length, home.git('status', '--porcelain')]).toEqual([1, ''])
})

test('without memory.distill: model the rules are enough, and no model is asked', async () => {
  const model = await startModel(() => answer)
  const { home, call } = await hubHome({ 'neo.yaml': model.config })
  talkedIn(home)
  expect(await call('scope.distill', { scopeId: SCOPE })).toMatchObject({ kind: 'done', summarised: 0 })
  expect(model.asked).toHaveLength(0)
})

test('neo memory distill --scope does the same, and ends with 1 where the model failed', async () => {
  const answers = ['nonsense', answer]
  const model = await startModel(() => answers.shift() ?? answer)
  const home = makeHome({ 'neo.yaml': `${model.config}memory: { distill: model, window: 6 }\n` })
  talkedIn(home)
  const distilled = () => neo(['memory', 'distill', '--scope', SCOPE, '--json', '--home', home.dir])
  const failed = await distilled()
  expect([failed.code, dataOf(failed)]).toMatchObject([
    1,
    { scope: SCOPE, summarised: 0, trouble: expect.stringMatching(/^the model /) },
  ])
  expect(await distilled()).toMatchObject({ code: 0, out: expect.stringContaining('"summarised":8') })
  const both = await neo(['memory', 'distill', '--scope', SCOPE, '--room', 'shop', '--home', home.dir])
  expect([both.code, both.out]).toEqual([2, ''])
})

test('while a model fails for a conversation, status says so, and nothing of what was said', async () => {
  const model = await startModel(() => `no object, but ${MARKER}`)
  const home = makeHome({ 'neo.yaml': `${model.config}memory: { distill: model, window: 6 }\n` })
  talkedIn(home)
  const daemon = home.watch({ openOrchestrator: openMind })
  await until(() => home.read('.neo/memory.json').includes('the model did not summarise this conversation'))
  const { events } = await daemon.stop()
  expect(JSON.parse(home.read('.neo/memory.json'))).toMatchObject({
    distilling: expect.arrayContaining([expect.objectContaining({ room: SCOPE, failures: 1 })]),
  })
  expect(home.read('.neo/memory.json') + JSON.stringify(events)).not.toContain(MARKER)
})

test('what is purged while the model is asked does not come back with its answer', async () => {
  let asked = () => {}
  let purged = false
  const model = await startModel(() => {
    asked()
    return answer
  })
  const { home, call, context } = await hubHome({
    'neo.yaml': `${model.config}memory: { distill: model, window: 6 }\n`,
  })
  talkedIn(home)
  asked = () => {
    context.world.files.removeTree(`${home.dir}/${FOLDER}/transcripts`)
    purged = true
  }
  expect(await call('scope.distill', { scopeId: SCOPE })).toMatchObject({ summarised: 0 })
  expect([purged, home.has(`${FOLDER}/HISTORY.md`)]).toEqual([true, false])
})
