// Trigger actions on agents: start a run in a new chat, or answer an interrupt.
import { MessageInput } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { Compile } from 'typebox/compile'
import type { FiredInput, FiredTrigger, TriggerActionProvider } from '#automation/triggers/extension-points.ts'
import { isExpiry } from '#automation/triggers/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, refusalOnly } from '#platform/core/errors.ts'
import { findRunnable } from '../../agents/service.ts'
import { assertMayAct } from '../access.ts'
import { resolveByTrigger } from '../interrupts/interrupts.ts'
import { readableInterrupt } from '../reads.ts'
import { startAgentRun } from '../start.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const shape = Compile(MessageInput)

/** The message of a payload: `text`, else `message`, else the whole payload as JSON; with its attachments. */
const messageOf = (given: Readonly<Record<string, unknown>>): MessageInput => {
  const { attachments, images, files } = given
  const input = {
    text: textOf(given.text ?? given.message ?? given),
    ...(attachments !== undefined && { attachments }),
    ...(images !== undefined && { images }),
    ...(files !== undefined && { files }),
  }
  if (!shape.Check(input)) throw fail('validation_error', 'attachments, images or files are not valid')
  return input
}

const contextOf = (given: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isRecord(given) ? given : {}).map(([name, value]) => [name, textOf(value)]))

const startOne = async (
  ctx: Ctx<Member>,
  trigger: FiredTrigger,
  { input: { input, context }, traceparent }: FiredInput,
) =>
  startAgentRun(ctx, {
    agentId: trigger.agent_id ?? '',
    name: trigger.name,
    input: messageOf(input),
    context: contextOf(context),
    origin: { triggerId: trigger.id, traceparent },
  })

export const runAgentAction: TriggerActionProvider = {
  action: 'run_agent',
  scope: 'agents:execute',
  readScope: 'agents:read',
  find: async (ctx, id) => {
    const { agent, version } = await findRunnable(ctx, id)
    return { id: agent.id, output_schema: version.config.output_schema }
  },
  start: async (ctx, trigger, fires) => {
    const started = []
    for (const fire of fires) {
      const run = await startOne(ctx, trigger, fire).catch(refusalOnly)
      started.push('chatId' in run ? { chatId: run.chatId } : run)
    }
    return started
  },
}

/** The creator of the trigger may have lost access to the chat since. A timeout needs no access. */
const assertStillAnswers = async (ctx: Ctx<Member>, interruptId: string): Promise<void> => {
  const { chat } = await readableInterrupt(ctx, interruptId)
  assertMayAct(ctx, chat)
}

export const resolveInterruptAction: TriggerActionProvider = {
  action: 'resolve_interrupt',
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
      const answered = await ctx
        .tx(async (ctx) => {
          if (!isExpiry(trigger)) await assertStillAnswers(ctx, interruptId)
          return resolveByTrigger(ctx, interruptId, resolution, isExpiry(trigger))
        })
        .then((chatId) => ({ chatId }))
        .catch(refusalOnly)
      started.push(answered)
    }
    return started
  },
}
