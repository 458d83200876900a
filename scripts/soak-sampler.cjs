// Loaded into a daemon by soak.mjs: at SIGUSR2 it collects garbage and writes what the process holds to NEO_SOAK_SAMPLE;
// with NEO_SOAK_HEAP set, a heap snapshot beside it.
const { readdirSync, renameSync, writeFileSync } = require('node:fs')
const { writeHeapSnapshot } = require('node:v8')

const path = process.env.NEO_SOAK_SAMPLE
let count = 0
if (path !== undefined && /main\.js$/.test(process.argv[1] ?? ''))
  process.on('SIGUSR2', () => {
    for (let round = 0; round < 3; round++) globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    const sample = { count: ++count, rss, heapUsed, external, descriptors: readdirSync('/proc/self/fd').length }
    if (process.env.NEO_SOAK_HEAP) writeHeapSnapshot(`${path}.${count}.heapsnapshot`)
    writeFileSync(`${path}.tmp`, JSON.stringify(sample))
    renameSync(`${path}.tmp`, path)
  })
