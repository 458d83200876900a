/** Names and titles of new task files. */
import { fileSlugOf } from '../../domain/task/slug.ts'

export function titleLine(title: string): string {
  return title.replaceAll(/\s+/g, ' ').trim()
}

/** `<slug>--<id>`, the name of a file that Neo or a command makes. */
export function newFileName(title: string, id: string, otherwise = 'task'): string {
  const slug = fileSlugOf(title)
  return slug === '' ? `${otherwise}--${id}` : `${slug}--${id}`
}
