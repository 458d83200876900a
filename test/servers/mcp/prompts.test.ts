/** Templates of the home as prompts of an editor. */
import { expect, test } from 'vitest'
import { hubHome } from '../../hub/hub-home.ts'
import { makeDoor } from '../door.ts'
import { ERAS, overHttp } from './client.ts'

const HOME = {
  'templates/tasks/greet.md':
    '---\ntitle: Greet {{who}}\nworker: human\nparams:\n  who: { type: string, description: Whom }\n  loud: { type: boolean, default: "false" }\n---\nSay hello to {{who}}.\n',
}

test.each(ERAS)(
  'a template is a prompt with its parameters, and names the tool that makes the task (%s)',
  async (era) => {
    const home = await hubHome(HOME)
    const client = await overHttp(await makeDoor(home.hub, { home: home.home.dir }), era)
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([
      expect.objectContaining({
        name: 'greet',
        arguments: [
          { name: 'who', description: 'Whom', required: true },
          { name: 'loud', description: 'boolean; default: false', required: false },
          expect.objectContaining({ name: 'room', required: false }),
        ],
      }),
    ])
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'Ana', room: 'shop' } })
    const [message] = messages
    const content = message?.content.type === 'text' ? message.content : { text: '' }
    const [, call = '{}'] = /neo_template_run with (\{.*\})\. Then/.exec(content.text) ?? []
    expect(JSON.parse(call)).toEqual({ roomId: 'shop', name: 'greet', params: { who: 'Ana' } })
    expect(content.text).toContain('> Say hello to Ana.')
    await client.callTool({
      name: 'neo_template_run',
      arguments: JSON.parse(call) as Record<string, unknown>,
    })
    expect((await home.call('task.list', {})).map(({ title }) => title)).toEqual(['Greet Ana'])
  },
)

test('a value that is missing, and a template that is not there, are said', async () => {
  const home = await hubHome(HOME)
  const client = await overHttp(await makeDoor(home.hub, { home: home.home.dir }), 'auto')
  await expect(client.getPrompt({ name: 'greet' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringMatching(/\bwho\b.*missing/),
  })
  await expect(client.getPrompt({ name: 'none' })).rejects.toThrow(/Cannot find the template/)
})

test('values of a prompt are completed where they are known', async () => {
  const home = await hubHome(HOME)
  const client = await overHttp(await makeDoor(home.hub, { home: home.home.dir }), 'auto')
  const complete = async (name: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name, value } }))
      .completion.values
  expect([await complete('room', 'sh'), await complete('loud', ''), await complete('who', 'A')]).toEqual([
    ['shop'],
    ['true', 'false'],
    [],
  ])
})
