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
    // Installing packages inside a sandbox takes half a minute on a machine that is busy with the rest of the run, and minutes
    // on one that others keep busy as well.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What is waited for comes; one second, as it would be, is not enough for that on a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
})
