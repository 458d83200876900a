/**
 * Names that editors, synchronizers and writers (ours too) use for a moment beside the real file.
 * Each line names its maker; a name that a person would choose for a task must not match.
 */

const TEMP_NAMES: readonly RegExp[] = [
  /^\./, // ours (.x.neo-1-2.tmp), vim (.x.swp), emacs locks (.#x), gedit (.goutputstream-1), nano, LibreOffice, sync
  /~$/, // vim, emacs, gedit: backup copies
  /^#.*#$/, // emacs: autosave
  /^~\$/, // office programs: owner file
  /\.tmp$/i, // many
  /\.tmp[.-][\w.-]+$/i, // writers that add pid and counter: x.md.tmp.123.4, x.md.tmp-17a
  /___jb_(tmp|old)___$/, // JetBrains
  /\.md\.\d+$/i, // write-file-atomic
  /\.sw[a-z]$/, // vim without the dot
  /\.(bak|orig|rej|part|crdownload)$/i,
  /^sed[A-Za-z0-9]{6}$/, // sed -i
]

/** vim asks whether a folder can be written by making a file 4913, or 5036, 5159, … where that exists. */
const VIM_PROBE = { first: 4913, step: 123, tries: 40 }

export function isTempName(name: string): boolean {
  return TEMP_NAMES.some((pattern) => pattern.test(name)) || isVimProbe(name)
}

function isVimProbe(name: string): boolean {
  if (!/^\d{4,5}$/.test(name)) return false
  const above = Number(name) - VIM_PROBE.first
  return above >= 0 && above % VIM_PROBE.step === 0 && above / VIM_PROBE.step < VIM_PROBE.tries
}
