/** Accessibility of what a page shows now, by axe. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules that are broken, each with its first element. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(on: unknown): Promise<Found> } }
    interface Found {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { html: string }[] }[]
    }
    const found = await axe.run((globalThis as unknown as { document: unknown }).document)
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  })
}
