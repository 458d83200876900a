import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 180_000,
    // Real processes on a shared machine: in CI a test that lost to the machine's load is tried again.
    retry: process.env['CI'] === undefined ? 0 : 2,
    hookTimeout: 60_000,
    maxWorkers: 2,
    globalSetup: ['test/setup.ts'],
  },
})
