// What other features may ask of flow runs.
export { type StartFlowRun, startFlowRun, startFlowRuns } from './start.ts'
