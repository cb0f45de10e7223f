// Sends a message to an agent and shows its answer as it is written, its tool calls, and prompts for approvals.
import { requestOf } from '@millrace/contract/call'
import type { Chat, ChatMessage, Interrupt, ToolInvocation } from '@millrace/contract/chats'
import type { Api } from '../api/client.ts'
import { type Cli, type Command, flag, type Result, text } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { usage } from '../failures.ts'
import { knownAgents, knownApps, suggestRefs } from '../find-refs.ts'
import { askText } from '../login/ask.ts'
import { readAll } from '../shell.ts'
import { safeText } from '../table.ts'
import { linesOf } from '../tasks/stream-lines.ts'

type Line = { event?: string; data?: unknown; type?: string }

const toolCallLine = ({ function: call, status, result }: ToolInvocation): string => {
  const given = JSON.stringify(call.arguments)
  const shown = given.length > 100 ? `${given.slice(0, 97)}...` : given
  const outcome = status === 'failed' || status === 'cancelled' ? ` ${result ?? ''}`.slice(0, 200) : ''
  return `  ${call.name} ${shown} ${status}${outcome}\n`
}

/** Prints each tool call once per status. */
const createToolCallPrinter = (cli: Cli) => {
  const shown = new Map<string, string>()
  return (message: ChatMessage): void => {
    for (const call of message.tool_invocations) {
      if (shown.get(call.id) === call.status) continue
      shown.set(call.id, call.status)
      if (!cli.json) cli.shell.err(safeText(toolCallLine(call)))
    }
  }
}

const answerInterrupt = async (_cli: Cli, api: Api, interrupt: Interrupt): Promise<void> => {
  const { tool_name: tool, arguments: given } = (interrupt.meta ?? {}) as { tool_name?: string; arguments?: unknown }
  const what = tool === undefined ? interrupt.source : `${tool} ${JSON.stringify(given)}`
  const reply = await askText(`Allow ${safeText(what)}? (yes, no, always)`, 'no')
  if (reply === 'always' && interrupt.reason === 'tool_approval' && interrupt.resource_id) {
    const path = { chatId: interrupt.chat_id, id: interrupt.resource_id }
    await api.call('tools.always_allow', { path, body: {} })
    return
  }
  const decision = reply.startsWith('y') || reply === 'always' ? 'allow' : 'deny'
  await api.call('interrupts.resolve', { path: { id: interrupt.id }, body: { decision } })
}

/** Handles each approval once: prompts for it, or prints that it is pending. */
const createApprover = (cli: Cli, api: Api, allowAll: boolean) => {
  const handled = new Set<string>()
  return async (chat: Chat): Promise<void> => {
    for (const interrupt of chat.pending_interrupts) {
      if (handled.has(interrupt.id)) continue
      handled.add(interrupt.id)
      const isQuestion = ['tool_approval', 'hook_gate', 'confirmation'].includes(interrupt.reason)
      if (isQuestion && allowAll)
        await api.call('interrupts.resolve', { path: { id: interrupt.id }, body: { decision: 'allow' } })
      else if (isQuestion && cli.shell.interactive) await answerInterrupt(cli, api, interrupt)
      else cli.shell.err(`The agent waits for approval ${interrupt.id} (${interrupt.reason})\n`)
    }
  }
}

const needsAnswerElsewhere = (cli: Cli, chat: Chat, allowAll: boolean): boolean =>
  chat.status === 'awaiting_input' && !cli.shell.interactive && !allowAll

const follow = async (cli: Cli, api: Api, chatId: string, allowAll: boolean): Promise<Chat> => {
  const showToolCalls = createToolCallPrinter(cli)
  const answer = createApprover(cli, api, allowAll)
  const left = new AbortController()
  const response = await api.open(requestOf('chats.stream', { path: { id: chatId } }, { signal: left.signal }))
  let hasWords = false
  try {
    for await (const text of linesOf((response.body ?? []) as AsyncIterable<Uint8Array>)) {
      const { event, data } = JSON.parse(text) as Line
      if (event === 'delta' && !cli.json) {
        const { response: words } = (data as { delta: { response?: string } }).delta
        if (words) {
          cli.shell.out(safeText(words))
          hasWords = true
        }
      }
      if (event === 'chat_messages') showToolCalls(data as ChatMessage)
      if (event !== 'chats') continue
      const chat = data as Chat
      await answer(chat)
      if (chat.active_run === undefined || needsAnswerElsewhere(cli, chat, allowAll)) {
        if (hasWords) cli.shell.out('\n')
        return chat
      }
    }
  } finally {
    left.abort()
  }
  return api.call('chats.get', { path: { id: chatId } }) as Promise<Chat>
}

const lastAnswer = async (api: Api, chatId: string): Promise<ChatMessage | undefined> => {
  const page = await api.call('chats.messages', { path: { id: chatId }, body: { limit: 10 } })
  return page.items.find((item) => item.role === 'assistant') as ChatMessage | undefined
}

const endOf = async (cli: Cli, api: Api, chat: Chat): Promise<Result> => {
  const message = await lastAnswer(api, chat.id)
  const errors = (message?.content ?? []).flatMap(({ error }) => error ?? [])
  if (!cli.json) {
    for (const error of errors) cli.shell.err(`The agent failed: ${safeText(error)}\n`)
    if (chat.output !== null && chat.output !== undefined) cli.shell.out(`${JSON.stringify(chat.output, null, 2)}\n`)
    cli.shell.err(`Chat ${chat.id}\n`)
  }
  return {
    text: '',
    json: { chat, message },
    exitCode: message?.status === 'failed' ? exitCodes.taskFailed : exitCodes.ok,
  }
}

const run: Command = {
  words: 'agent run <agent> [message]',
  summary: 'Send a message to an agent and wait for its answer',
  options: [
    ['--chat <id>', 'continue this chat'],
    ['--model <app>', 'chat with this model app instead of an agent; pass - as <agent>'],
    ['--yes', 'approve every tool call'],
  ],
  example: 'millrace agent run acme/helper "What is new?"',
  run: async (cli, [agent = '', said], options) => {
    const api = cli.api()
    const message = said ?? (cli.shell.interactive ? await askText('Message') : await readAll(cli.shell.stdin))
    if (message.trim() === '') throw usage('A message is required', 'millrace agent run AGENT "…"')
    const [chatId, model] = [text(options, 'chat'), text(options, 'model')]
    const target = model === undefined ? { agent } : { agent_config: { core_app: { ref: model } } }
    const body = { ...(chatId === undefined ? target : { chat_id: chatId }), input: { text: message } }
    const begun = await api.call('agents.run', { body }).catch((error: unknown) => {
      if (chatId !== undefined) throw error
      return model === undefined
        ? suggestRefs(api, agent, error, () => knownAgents(api))
        : suggestRefs(api, model, error, () => knownApps(api))
    })
    const chat = await follow(cli, api, begun.user_message.chat_id, flag(options, 'yes'))
    return endOf(cli, api, chat)
  },
}

export const agentRunCommands = [run]
