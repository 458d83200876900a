/**
 * Folders in which programs are looked for, without the relative ones: such a folder would be one of the place in which
 * a command starts, where a model may have written programs. Pure.
 */
export function absoluteFolders(path: string): string {
  return path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .join(':')
}
