/**
 * Which unknown keys of a header are no slips: other programs keep them there, so they are left as they are, and not worth
 * a word. Takes a key and the name of the file. Leaves to check.ts: the warning about the others.
 */

const FOREIGN: ReadonlySet<string> = new Set(
  `
    aliases alias author authors banner category categories cover created created_at cssclass
    cssclasses date icon id kanban-plugin lang last_modified layout lastmod modified permalink
    publish published slug source tag tags uid updated updated_at url uuid version weight assignee
    assignees reporter sprint epic created_date updated_date date_created date_modified ordinal
    milestone references project component estimate points owner parent type keywords comments
    scheduled start start_date completed completed_at color pinned
  `
    .trim()
    .split(/\s+/),
)

export function isForeign(key: string, file: string): boolean {
  return file.endsWith('.md') && FOREIGN.has(key.toLowerCase())
}
