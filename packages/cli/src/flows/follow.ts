// Follows a flow run until its end.
import { requestOf } from '@millrace/contract/call'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import type { FlowRun } from '@millrace/contract/flow-runs'
import type { Api } from '../api/client.ts'
import { connectionLost, readLines, reconnecting } from '../tasks/reconnect.ts'

const isOver = (status: number): boolean => status > flowRunStatus.running

/** Yields each status once and returns the ended run. */
export async function* followFlowRun(api: Api, id: string): AsyncGenerator<number, FlowRun> {
  const statuses = reconnecting({
    open: () => readStatuses(api, id),
    isEnd: isOver,
    giveUp: () => connectionLost(`flow run ${id}`, `millrace flow wait ${id}`),
  })
  let last = -1
  for await (const status of statuses) {
    if (status !== last) yield status
    last = status
  }
  return api.call('flow_runs.get', { path: { id } })
}

async function* readStatuses(api: Api, id: string): AsyncGenerator<number> {
  for await (const line of readLines((signal) =>
    api.open(requestOf('flow_runs.stream', { path: { id } }, { signal })),
  )) {
    const event = JSON.parse(line) as { type?: string; data?: { status?: number }; status?: number }
    const status = event.data?.status ?? event.status
    if (event.type !== 'heartbeat' && status !== undefined) yield status
  }
}
