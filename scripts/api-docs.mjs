/**
 * Writes docs/api.md, the reference of the hub, from the table of methods.
 *
 *   npx tsx scripts/api-docs.mjs
 */
import { writeFileSync } from 'node:fs'
import { apiReference } from '../src/hub/reference.ts'

writeFileSync('docs/api.md', apiReference())
