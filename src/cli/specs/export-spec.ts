/**
 * `neo export` and `neo import`: words and options.
 */
import { TRANSCRIPT_FORMATS } from '../../files/body/transcript-as.ts'
import type { Spec } from '../spec.ts'

const PASSPHRASE = {
  flags: '--passphrase-fd <number>',
  about: 'read the passphrase from this descriptor; else $NEO_PASSPHRASE, else it is asked for',
}

export const EXPORT: readonly Spec[] = [
  {
    name: 'export',
    args: '<file>',
    about: 'the home in one file: configuration, files, git history, audit log; never .env or keys',
    options: [
      { flags: '--private', about: 'private conversations too, sealed with a passphrase' },
      PASSPHRASE,
      {
        flags: '--format <name>',
        about: 'instead: all transcripts of rooms, in a new folder, as another program writes them',
        choices: TRANSCRIPT_FORMATS,
      },
    ],
    example: 'neo export home.neo --private',
    load: async () => (await import('../export/export-home.ts')).exportHome,
  },
]

export const IMPORT: readonly Spec[] = [
  {
    name: 'import',
    args: '<file> <dir>',
    about: 'a home out of an export, in a new folder; a file that was cut or changed is refused whole',
    options: [
      PASSPHRASE,
      { flags: '--without-private', about: 'leave private conversations in the export, without passphrase' },
    ],
    example: 'neo import home.neo ./home',
    load: async () => (await import('../export/import.ts')).importHome,
  },
]
