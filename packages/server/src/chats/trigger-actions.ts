// What triggers do with agents: start a run in a new chat, or answer what a run asks.
import { isRecord } from '@millrace/contract/json'
import { findRunnable } from '../agents/service.ts'
import { fail, refusalOnly } from '../core/errors.ts'
import type { TriggerActionHook } from '../core/hooks.ts'
import { assertMayAct } from './access.ts'
import { resolveByTrigger } from './answers.ts'
import { readableInterrupt } from './reads.ts'
import { startAgentRun } from './start.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The words of a payload: `text`, else `message`, else all of it. */
const messageOf = (input: Readonly<Record<string, unknown>>): string => textOf(input.text ?? input.message ?? input)

const contextOf = (given: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isRecord(given) ? given : {}).map(([name, value]) => [name, textOf(value)]))

export const runAgentAction: TriggerActionHook = {
  scope: 'agents:execute',
  readScope: 'agents:read',
  find: async (ctx, id) => {
    const { agent, version } = await findRunnable(ctx, id)
    return { id: agent.id, output_schema: version.config.output_schema }
  },
  start: async (ctx, trigger, fires) => {
    const started = []
    for (const { input } of fires) {
      const run = await startAgentRun(ctx, {
        agentId: trigger.agent_id ?? '',
        name: trigger.name,
        text: messageOf(input.input),
        context: contextOf(input.context),
        origin: { triggerId: trigger.id },
      }).catch(refusalOnly)
      started.push('chatId' in run ? { chatId: run.chatId } : run)
    }
    return started
  },
}

export const resolveInterruptAction: TriggerActionHook = {
  scope: null,
  readScope: 'conversations:read',
  find: async (ctx, id) => {
    const { interrupt, chat } = await readableInterrupt(ctx, id)
    assertMayAct(ctx, chat)
    return { id: interrupt.id }
  },
  start: async (ctx, trigger, fires) => {
    const started = []
    for (const { input } of fires) {
      const { resolution = 'allow' } = input.input
      if (resolution !== 'allow' && resolution !== 'deny') {
        started.push(fail('validation_error', 'resolution must be allow or deny'))
        continue
      }
      const interruptId = trigger.interrupt_id ?? ''
      const isExpiry = trigger.type === 'scheduled' && trigger.name === `expire-interrupt:${interruptId}`
      const answered = await ctx
        .tx((ctx) => resolveByTrigger(ctx, interruptId, resolution, isExpiry))
        .then((chatId) => ({ chatId }))
        .catch(refusalOnly)
      started.push(answered)
    }
    return started
  },
}
