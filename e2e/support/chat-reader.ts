// A reader of a chat that works like the console: fetches the messages, then follows the stream, and repeats both after
// a lost connection. Ends with the chat's run.
import { setTimeout as sleep } from 'node:timers/promises'

export type SeenMessage = { id: string; role: string; status: string; content: { type: string; text?: string }[] }

type Line = { event?: string; data?: { id?: string; status?: string } & Record<string, unknown>; fields?: string[] }

/** Every message by its id, as the reader last saw it. Each connection may use another server. */
export const readChat = async (
  urlNow: () => string,
  headers: Record<string, string>,
  chatId: string,
): Promise<Map<string, SeenMessage>> => {
  const seen = new Map<string, SeenMessage>()
  for (;;) {
    const isOver = await follow(urlNow(), headers, chatId, seen).catch(() => false)
    if (isOver) return seen
    await sleep(50)
  }
}

const fetchMessages = async (url: string, headers: Record<string, string>, chatId: string): Promise<SeenMessage[]> => {
  const answer = await fetch(`${url}/chats/${chatId}/messages?limit=100`, { headers })
  if (!answer.ok) throw new Error(`messages answered ${answer.status}`)
  return ((await answer.json()) as { data: { items: SeenMessage[] } }).data.items
}

/** True if the run is over; throws if the connection broke. */
const follow = async (
  url: string,
  headers: Record<string, string>,
  chatId: string,
  seen: Map<string, SeenMessage>,
): Promise<boolean> => {
  const answer = await fetch(`${url}/chats/${chatId}/stream`, {
    headers: { ...headers, accept: 'application/x-ndjson' },
  })
  if (!answer.ok || !answer.body) throw new Error(`the stream answered ${answer.status}`)
  let isFetched = false
  for await (const { event, data, fields } of linesOf(answer.body)) {
    // Fetched after the stream's first event: later changes are in the stream.
    if (!isFetched) for (const message of await fetchMessages(url, headers, chatId)) seen.set(message.id, message)
    isFetched = true
    if (event === 'chat_messages' && data?.id !== undefined) {
      const before = fields ? seen.get(data.id) : undefined
      if (!fields || before) seen.set(data.id, { ...before, ...data } as SeenMessage)
    }
    if (event === 'chats' && (data?.status === 'idle' || data?.status === 'completed')) return true
  }
  return false
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let held = ''
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      held += decoder.decode(part.value, { stream: true })
      const lines = held.split('\n')
      held = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Line
    }
  } finally {
    // The reader disconnects, because the stream of a chat has no end.
    await reader.cancel().catch(() => undefined)
  }
}
