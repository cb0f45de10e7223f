// The route of an agent for AG-UI clients.
import { AgentPath, AgUiEvent, RunAgentInput } from '@millrace/contract/ag-ui'
import { findRunnable } from '#agents/agents/service.ts'
import { operation } from '#platform/core/operation.ts'
import { beginAnswer, followed } from '../openai/service.ts'
import { streamRun } from './events.ts'
import { readRun } from './requests.ts'

export const agUiOperations = [
  operation({
    name: 'ag_ui.run',
    route: 'POST /ag-ui/:agentId',
    summary: 'AG-UI: run an agent and stream its events',
    scope: 'agents:execute',
    checkedScopes: ['agents:read', 'approvals:write', 'conversations:write', 'files:read', 'remotes:write'],
    rateLimit: 'run',
    path: AgentPath,
    body: RunAgentInput,
    stream: true,
    reply: AgUiEvent,
    fails: ['not_found', 'validation_error'],
    run: async (ctx, { path, body }) => {
      const { agent } = await findRunnable(ctx, path.agentId)
      const messageId = await beginAnswer(ctx, readRun(agent.id, body))
      return { type: 'RUN_STARTED', threadId: body.threadId, runId: body.runId, messageId }
    },
    follow: async (ctx, { messageId = '' }, { path, body }) => {
      const { agent } = await findRunnable(ctx, path.agentId)
      return streamRun(ctx, body, await followed(ctx, readRun(agent.id, body), messageId))
    },
  }),
]
