import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    pool: 'forks',
    // A worker reuses loaded modules for its next file. Loading the server for every file would take a third of the run.
    isolate: false,
    // Transformed modules are stored in node_modules, so that a run of a few files does not transform the server again.
    fsModuleCache: true,
    // The tests often wait for processes that they started, so three workers fit on two cores.
    maxWorkers: 3,
    // Installing packages in a sandbox takes half a minute on a busy machine, and minutes on a shared one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
})
