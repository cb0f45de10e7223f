// The statuses of a flow run and their wire codes.

export const flowRunStatus = {
  unknown: 0,
  pending: 1,
  running: 2,
  completed: 3,
  failed: 4,
  cancelled: 5,
} as const
export type FlowRunStatusName = keyof typeof flowRunStatus
export type FlowRunStatus = (typeof flowRunStatus)[FlowRunStatusName]
