// What flow runs say on the bus.

export const flowRunSubject = (runId: string): string => `flow_run:${runId}`
