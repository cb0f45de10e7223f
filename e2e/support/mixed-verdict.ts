// Compares the recorded acknowledgements with the final state, and returns all violations.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import { type Acknowledged, countTo, flowSteps } from './mixed-load.ts'

type Task = {
  id: string
  status: number
  error?: string
  input: { run?: string; step?: number }
  events: { status: number }[]
}
type FlowRun = { id: string; status: number; error?: string; input: { run: string }; output: { n: number } | null }
type Chat = { id: string; status: string }
type Message = { id: string; role: string; status: string; content: { type: string; text?: string }[] }

const completed = 10
const flowCompleted = 3

type Page<T> = { items: T[]; has_next: boolean; next_cursor: string }

/** Page by page, because an hour of work exceeds one page. */
const listAll = async <T>(fleet: Fleet, what: string, body: object = {}): Promise<T[]> => {
  const found: T[] = []
  for (let cursor: string | undefined; ; ) {
    const answer = await fetch(`${fleet.balancer.url}/${what}/list`, {
      method: 'POST',
      headers: fleet.headers,
      body: JSON.stringify({ limit: 100, ...body, ...(cursor && { cursor }) }),
    })
    if (!answer.ok) throw new Error(`${what}: ${await answer.text()}`)
    const { items, has_next, next_cursor } = ((await answer.json()) as { data: Page<T> }).data
    found.push(...items)
    if (!has_next) return found
    cursor = next_cursor
  }
}

const filters = (field: string, operator: string, value: unknown) => ({
  filters: [{ field, operator, value }],
  fields: ['id'],
})

/** Waits until no work is open, or nothing has ended for too long. */
export const settle = async (fleet: Fleet, progressTimeoutMs: number): Promise<void> => {
  let before = -1
  for (let sinceMs = Date.now(); Date.now() - sinceMs < progressTimeoutMs; await sleep(200)) {
    const live = await Promise.all([
      listAll(fleet, 'tasks', filters('status', 'lt', completed)),
      listAll(fleet, 'flowruns', filters('status', 'lt', flowCompleted)),
      listAll(fleet, 'chats', filters('status', 'neq', 'idle')),
    ]).then(
      (lists) => lists.flat().length,
      () => before,
    )
    if (live === 0) return
    if (live !== before) sinceMs = Date.now()
    before = live
  }
}

/** Every line that the ledger app recorded, on all engines. */
const executions = async ({ engineFolders }: Fleet): Promise<string[]> => {
  const found: string[] = []
  for (const folder of engineFolders)
    for (const name of await readdir(folder, { recursive: true }).catch(() => []))
      if (name.endsWith('ledger.txt')) found.push(await readFile(join(folder, name), 'utf8'))
  return found.join('').split('\n').filter(Boolean)
}

const twice = (lines: readonly string[]): string[] => {
  const seen = new Set<string>()
  return lines.filter((line) => seen.size === seen.add(line).size)
}

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > Number(numbers[index - 1]))

const textOfMessage = ({ role, status, content }: Message): string =>
  JSON.stringify([role, status, content.map(({ type, text }) => [type, text])])

const misread = async (fleet: Fleet, { chatsSeen }: Acknowledged): Promise<string[]> => {
  const wrong: string[] = []
  for (const [id, seen] of chatsSeen) {
    const answer = await fetch(`${fleet.balancer.url}/chats/${id}/messages?limit=100`, { headers: fleet.headers })
    const { items } = ((await answer.json()) as { data: { items: Message[] } }).data
    for (const message of items) {
      const read = seen.get(message.id) as Message | undefined
      if (!read || textOfMessage(read) !== textOfMessage(message))
        wrong.push(`${read && textOfMessage(read)} instead of ${textOfMessage(message)}`)
    }
    if (seen.size !== items.length) wrong.push(`${seen.size} messages instead of ${items.length}`)
    // The question, the call, its result and the answer.
    if (items.filter(({ role }) => role === 'assistant').length !== 2)
      wrong.push(`chat ${id} has ${items.length} messages`)
  }
  return wrong
}

export const judge = async (fleet: Fleet, acknowledged: Acknowledged) => {
  const tasks = await listAll<Task>(fleet, 'tasks')
  const flowRuns = await listAll<FlowRun>(fleet, 'flowruns')
  const chats = await listAll<Chat>(fleet, 'chats')
  const done = await executions(fleet)
  const known = new Set([...tasks, ...flowRuns, ...chats].map(({ id }) => id))
  const named = flowRuns.map(({ input }) => input.run)
  const { run, flow, hook, chat, stream, transcripts } = acknowledged
  const expected = [...run.keys(), ...chat.keys()].map((name) => `${name} 0`)
  const inFlows = [...flow.keys(), ...hook.keys()].flatMap((name) => [`${name} 0`, `${name} 2`])
  const executed = new Set(done)
  return {
    lost: [
      ...[run, flow, chat, stream].flatMap((kind) =>
        [...kind].filter(([, id]) => !known.has(id)).map(([name]) => name),
      ),
      ...[...hook.keys()].filter((name) => !named.includes(name)),
      ...[...expected, ...inFlows].filter((line) => !executed.has(line)),
    ],
    stuck: [
      ...tasks.filter(({ status }) => status < completed),
      ...flowRuns.filter(({ status }) => status < flowCompleted),
      ...chats.filter(({ status }) => status !== 'idle'),
    ],
    failed: [
      ...tasks.filter(({ status }) => status > completed).map(({ id, status, error }) => `${id} ${status} ${error}`),
      ...flowRuns.filter(
        ({ status, output }) => status > flowCompleted || (status === flowCompleted && output?.n !== flowSteps),
      ),
    ],
    twice: [
      ...twice(done),
      ...twice(named),
      ...twice(tasks.flatMap(({ input: { run: name, step } }) => (name === undefined ? [] : [`${name} ${step}`]))),
      ...tasks
        .filter(({ events }) => events.filter(({ status }) => status >= completed).length !== 1)
        .map(({ id }) => id),
    ],
    transcripts: [
      ...[...transcripts].flatMap(([name, { complaints, statuses, state }]) => [
        ...complaints.map((complaint) => `${name}: ${complaint}`),
        ...(isRising(statuses) ? [] : [`${name}: ${statuses}`]),
        ...((state.output as { count?: number } | undefined)?.count === countTo
          ? []
          : [`${name}: ${JSON.stringify(state.output)}`]),
      ]),
      ...(await misread(fleet, acknowledged)),
    ],
  }
}
