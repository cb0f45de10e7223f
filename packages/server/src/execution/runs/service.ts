// What the rest of the server may ask of runs: starting them.
export { type RunOrigin, startRun, webhookOf } from './run.ts'
export { startRuns } from './run-batch.ts'
