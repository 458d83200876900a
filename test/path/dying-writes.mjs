/**
 * The disk of a process that kills itself when so many things are on it. Takes the real one, the names of the calls that
 * count, and after how many the process dies (0: never); gives the same disk, and how many there were.
 */
export function dyingWrites(real, names, dieAfter) {
  let written = 0
  const counted =
    (name) =>
    (...args) => {
      const result = real[name](...args)
      written += 1
      if (written === dieAfter) process.kill(process.pid, 'SIGKILL')
      return result
    }
  const files = { ...real, ...Object.fromEntries(names.map((name) => [name, counted(name)])) }
  return { files, written: () => written }
}
