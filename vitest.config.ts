import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    pool: 'forks',
    // A worker keeps what it has loaded from file to file: loading the server afresh for each would cost a third of the run.
    isolate: false,
    // Much of the run waits for processes it has started, so that three find room on two cores.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
