// The functions to start runs that other features may call.
export { type RunOrigin, startRun, webhookOf } from './run.ts'
export { startRuns } from './run-batch.ts'
