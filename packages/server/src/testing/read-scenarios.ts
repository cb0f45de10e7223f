// Prints the scenario tables of the given test files as JSON without running a test. Runs in its own process, because
// it replaces `vitest` with a stub.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const stub = new URL('./vitest-stub.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vitest' ? { url: stub, shortCircuit: true } : next(specifier, context),
})

const { recordedScenarios } = await import('./scenarios.ts')
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href)
process.stdout.write(JSON.stringify(recordedScenarios), () => process.exit(0))
