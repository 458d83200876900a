/** Text that tries to run, to load or to hide: shown as text in every field that somebody else writes. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

const CALL = 'globalThis.hacked=1'
/** Sixty of them; each one sets `hacked` if it runs. */
const PAYLOADS: readonly string[] = [
  ...['img', 'svg', 'video', 'audio', 'iframe', 'object', 'embed', 'body', 'input', 'details'].flatMap(
    (tag) => [
      `<${tag} src=x onerror="${CALL}">`,
      `<${tag} onload=${CALL}>`,
      `<${tag} autofocus onfocus=${CALL} ontoggle=${CALL} open>`,
    ],
  ),
  ...['javascript:', 'JaVaScRiPt:', 'java\tscript:', ' javascript:', 'data:text/html,', 'vbscript:'].flatMap(
    (scheme) => [`[link](${scheme}${CALL})`, `<a href="${scheme}${CALL}">x</a>`, `![x](${scheme}${CALL})`],
  ),
  `<script>${CALL}</script>`,
  `</script><script>${CALL}</script>`,
  `<svg><script>${CALL}</script></svg>`,
  `<math><mtext></p><img src=x onerror=${CALL}>`,
  `<style>@import "//localhost/x";</style><img src=x onerror=${CALL}>`,
  `<template><img src=x onerror=${CALL}></template>`,
  `<form action="javascript:${CALL}"><button>x</button></form>`,
  `<base href="//localhost/">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${CALL}">`,
  `"><img src=x onerror=${CALL}>`,
  `'-${CALL}-'`,
  '\u202egnp.exe\u202c \u200bhidden\u2066',
]

const SAID = {
  ...{ v: 1, id: 'e1', parent: null, ts: '2026-03-01T09:00:00Z', session: 'neo-shop', room: 'shop' },
  ...{ task: '', type: 'user', turn: 'n1', keys: [] },
}

function headerOf(text: string): string {
  return JSON.stringify(text)
}

const AT = '2026-03-01T09:00:00Z'

/** A task of which every text of its story is a payload. */
function told(body: string): Record<string, string> {
  const [first = '', second = ''] = PAYLOADS
  const said = [
    { id: '1', type: 'assistant', parts: [{ kind: 'text', text: body }] },
    { id: '2', type: 'tool_call', call: 'verify-0', name: first, command: body },
    { id: '3', type: 'verify', call: 'verify-0', is_error: true, exit_code: 1, ended: 'exit', output: body },
  ]
  const lines = said.map((entry) => `${JSON.stringify({ v: 1, ts: AT, ...entry })}\n`)
  return {
    'rooms/shop/tasks/told.md': `---\nstatus: failed\ndepends_on: [${headerOf(first)}]\nneo: { id: t-aaaaaa, created_at: ${AT}, session: s-aaaaaa, error: ${headerOf(body)}, pr: ${headerOf(second)} }\n---\n${body}\n`,
    'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: agent\nmodel: ${headerOf(first)}\nbranch: ${headerOf(second)}\nstatus: failed\nstarted_at: ${AT}\nended_at: ${AT}\n---\n# ${first}\n\nAttempt 1 of told.\n\n## Result\n\n${body}\n`,
    'rooms/shop/transcripts/s-aaaaaa.jsonl': lines.join(''),
    'rooms/shop/asks/a-aaaaaa.md': `---\nkind: question\ntask: t-aaaaaa\nreason: ${headerOf(first)}\ndecision: denied\ndecided_by: ${headerOf(second)}\ndecided_at: ${AT}\nneo: { id: a-aaaaaa, created_at: ${AT} }\n---\n${body}\n\n## Answer\n\n${body}\n`,
  }
}

withBrowser('a payload', (browser) => {
  test('neither runs, nor loads, nor hides in any view', async () => {
    expect(PAYLOADS).toHaveLength(60)
    const body = PAYLOADS.join('\n\n')
    const tasks = PAYLOADS.map((text, at) => [
      `rooms/shop/tasks/p${at}.md`,
      `---\nstatus: ${at % 2 === 0 ? 'draft' : 'blocked'}\ntitle: ${headerOf(text)}\nlabels: [${headerOf(text.slice(0, 60))}]\n---\n\n${body}\n`,
    ])
    const served = servedHome({
      ...Object.fromEntries(tasks),
      'rooms/shop/ROOM.md': `---\nname: ${headerOf(PAYLOADS[0] ?? '')}\ndescription: ${headerOf(PAYLOADS[3] ?? '')}\n---\n\n${body}\n`,
      'rooms/shop/memories/m.md': `---\ntype: note\ntags: [${headerOf(PAYLOADS[1] ?? '')}]\n---\n${body}\n`,
      'rooms/shop/memories/MEMORY.md': PAYLOADS.map((text) => `- ${text}\n`).join(''),
      'rooms/shop/transcripts/neo-2026-03-01-1.jsonl': `${JSON.stringify({ ...SAID, text: `<message from="human">\n${body}\n</message>` })}\n`,
      ...told(body),
      'rooms/shop/schedules/s.md': `---\ncron: "0 9 * * 1"\n---\n${body}\n`,
      'rooms/shop/schedules/bad.md': `---\ncron: ${headerOf(PAYLOADS[4] ?? '')}\n---\n`,
      'rooms/shop/tasks/made.md': `---\nstatus: failed\nlabels: ["schedule:s"]\nneo: { id: t-aaaaaa, created_at: 2026-03-01T09:00:00Z, created_by: human, error: ${headerOf(PAYLOADS[5] ?? '')} }\n---\n`,
      'workspace/members/kim.md': `---\nname: ${headerOf(PAYLOADS[2] ?? '')}\nrole: member\n---\n`,
    })
    const { page, wrong } = await browser.open(served)
    const { url } = await served.door()
    const others: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) others.push(request.url())
    })
    for (const at of [
      '/',
      '/rooms',
      '/room/shop',
      '/room/shop/list',
      '/room/shop/sessions',
      '/room/shop/about',
      '/task/told',
      `/commit/told/${served.home.git('log', '-1', '--format=%H', '--', 'rooms/shop/tasks/told.md').trim()}`,
      '/session/s-aaaaaa',
      '/task/p0',
      '/task/p1',
      '/memory',
      '/memory?q=link',
      '/chat/shop',
      '/schedules',
      '/settings/people',
      '/settings/config',
      '/settings/health',
      '/file/workspace/members/kim.md',
      '/activity?kind=all',
      '/activity?text=%3Cimg%20src%3Dx%3E&who=%3Cb%3E&task=%22',
      '/activity/usage?room=%3Cimg%20src%3Dx%3E',
    ]) {
      await page.goto(new URL(at, url).href)
      const heading = page.getByRole('heading', { level: 1 })
      await heading.waitFor().catch((cause) => Promise.reject(new Error(`no heading at ${at}`, { cause })))
      await page.waitForSelector('main:not(:has([aria-busy="true"]))')
      const state = await page.evaluate<readonly unknown[]>(
        "[globalThis.hacked ?? null, document.querySelectorAll('main :is(img, iframe, script, object, embed, form[action], base, meta, style, video)').length, [...document.querySelectorAll('main a[href]')].filter((a) => !/^(?:https?|mailto):/.test(a.href)).length]",
      )
      expect([at, ...state]).toEqual([at, null, 0, 0])
    }
    expect(others).toEqual([])
    expect(wrong).toEqual([])
  })
})
