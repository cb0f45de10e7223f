// The interface of flow runs for other features.
export { type StartFlowRun, startFlowRun, startFlowRuns } from './start.ts'
