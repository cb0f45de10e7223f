// The JSON-RPC route of an agent for clients of the Agent2Agent protocol.
import { AgentPath, JsonRpcAnswer, JsonRpcCall } from '@millrace/contract/a2a'
import { findRunnable } from '#agents/agents/service.ts'
import { operation } from '#platform/core/operation.ts'
import { beginCall, followCall, internalError, sendsMessage } from './calls.ts'

export const a2aOperations = [
  operation({
    name: 'a2a.call',
    route: 'POST /a2a/:agentId',
    summary: 'Agent2Agent: send a message to an agent; read, follow or cancel its tasks',
    scope: 'agents:execute',
    checkedScopes: ['agents:read', 'remotes:write'],
    rateLimit: 'run',
    uncounted: (_actor, { body }) => !sendsMessage(body),
    path: AgentPath,
    body: JsonRpcCall,
    bare: true,
    reply: JsonRpcAnswer,
    fails: ['not_found', 'validation_error'],
    run: async (ctx, { path, body }, { headers }) => {
      const { agent } = await findRunnable(ctx, path.agentId)
      return beginCall(ctx, agent.id, body, headers['a2a-version'])
    },
    follow: async (ctx, begun, { path, body }) => {
      const { agent } = await findRunnable(ctx, path.agentId)
      return followCall(ctx, agent.id, body, begun)
    },
    lateFailure: ({ id }, failure) => ({ jsonrpc: '2.0', id, error: internalError(failure) }),
  }),
]
