// Guarantees: the published client uses agents on a real server with a real engine: saved and ad-hoc configs, streaming
// and polling, client tools, approvals, structured results, and stopping.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from './deploy.ts'
import { type Guest, startGuest } from './guest.ts'
import { modelApp } from './model-app.ts'

type Message = {
  id: string
  agent_run_id: string
  role: string
  status: string
  content: { type: string; text?: string }[]
}
type Call = { id: string; name: string; args: unknown }
type Chat = {
  id: string
  status: string
  output: unknown
  pending_interrupts?: { id: string; meta: { tool_invocation_id: string } }[]
}

const look = (more: object = {}) => ({
  name: 'look',
  description: 'Looks',
  type: 'client',
  client: { input_schema: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] } },
  ...more,
})

describe('the client uses agents', () => {
  let guest: Guest
  let core_app: { ref: string }
  beforeAll(async () => {
    guest = await startGuest()
    core_app = { ref: (await deploy(guest.client, modelApp)).ref }
  })
  afterAll(() => guest?.remove())

  const textOf = (messages: Map<string, Message>): string =>
    [...messages.values()]
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) => content.map(({ text = '' }) => text))
      .join('')

  it('streams an answer word by word, and continues in the same chat', async () => {
    const agent = guest.client.agent({ core_app } as never)
    // A slow model, because the client starts its stream after the message was accepted and misses earlier text.
    for (const said of ['sleep 1000', 'sleep 1001']) {
      const messages = new Map<string, Message>()
      const words: string[] = []
      const { assistantMessage } = await agent.sendMessage(said, {
        onMessage: (message: unknown) => messages.set((message as Message).id, message as Message),
        onDelta: ({ delta }: { delta: { response?: string } }) => words.push(delta.response ?? ''),
      } as never)
      // A reader that connects soon after a turn receives that turn too.
      const { agent_run_id: runId } = assistantMessage as unknown as Message
      for (const [id, message] of messages) if (message.agent_run_id !== runId) messages.delete(id)
      expect(textOf(messages)).toBe(`You said: ${said}`)
      expect(words.join('')).toBe(`You said: ${said}`)
    }
    agent.disconnect()
  })

  it('an agent with a client tool: the caller answers, the agent continues', async () => {
    const { data } = await guest.client.agents.createAgent({
      name: 'looker',
      version: { core_app, tools: [look()] },
    } as never)
    const agent = guest.client.agent(`${data.namespace}/${data.name}`)
    const messages = new Map<string, Message>()
    await agent.sendMessage('call look {"x": 7}', {
      onMessage: (message: unknown) => messages.set((message as Message).id, message as Message),
      onToolCall: ({ id, args }: Call) => void agent.submitToolResult(id, `seen ${JSON.stringify(args)}`),
    } as never)
    agent.disconnect()
    expect(textOf(messages)).toBe('The tool said: seen {"x":7}')
  })

  it('polls for a result of a schema', async () => {
    const output_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const agent = guest.client.agent({ core_app, output_schema } as never)
    const said = 'call finish {"status": "succeeded", "result": {"n": 4}}'
    expect(await agent.run(said, { pollIntervalMs: 50 } as never)).toEqual({ n: 4 })
    expect(await agent.run(said, { pollIntervalMs: 50 } as never)).toEqual({ n: 4 })
  })

  it('a person approves, a key cannot', async () => {
    const agent = guest.client.agent({ core_app, tools: [look({ require_approval: true })] } as never)
    await agent.sendMessage('call look {"x": 1}')
    const id = agent.currentChatId ?? ''
    const waiting = async (): Promise<Chat> => {
      for (;;) {
        const { data } = (await guest.client.chats.get(id)) as unknown as { data: Chat }
        if (data.pending_interrupts?.length) return data
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const [question] = (await waiting()).pending_interrupts ?? []
    const tool = question?.meta.tool_invocation_id
    const refused = await fetch(`${guest.server.url}/tools/${tool}/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${guest.apiKey}` },
    })
    expect(refused.status).toBe(403)
    expect((await guest.call(`POST /tools/${tool}/invoke`)).status).toBe(200)
    await agent.submitToolResult(tool ?? '', 'fine')
    for (;;) {
      const { data } = (await guest.client.chats.get(id)) as unknown as { data: Chat }
      if (data.status === 'idle') break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  it('stops the active run', async () => {
    const agent = guest.client.agent({ core_app } as never)
    await agent.sendMessage('sleep 30000')
    await agent.stopChat()
    const chat = (await agent.getChat()) as unknown as Chat
    expect(chat.status).toBe('idle')
  })
})
