// Reads the scenario tables of the test files named on the command line, without running a test, and prints them as JSON.
// A process of its own: here, and only here, `vitest` is a stand-in.
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
