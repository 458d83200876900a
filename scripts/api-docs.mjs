/**
 * Writes the generated documents: docs/api.md from the hub's methods, docs/reference.md from the shapes of files,
 * docs/access-rules.md from the cases that test the rules.
 *
 *   npx tsx scripts/api-docs.mjs
 */
import { writeFileSync } from 'node:fs'
import { accessPage } from './access-page.ts'
import { apiReference } from './api-reference.ts'
import { keyReference } from './key-reference.ts'

writeFileSync('docs/api.md', apiReference())
writeFileSync('docs/reference.md', keyReference())
writeFileSync('docs/access-rules.md', accessPage())
