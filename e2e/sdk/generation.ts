// Uses one version of the published client, in its own process because versions share no modules:
// `node generation.ts FOLDER URL KEY AGENT`. Prints the results as JSON, or null for a version of another protocol. Calls only what every version offers.
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { taskStatus } from '@millrace/contract/task-status'

type Task = { id: string; status: number | string; output: unknown }
type Message = { role: string; content: { text?: string }[] }
type Agent = { sendMessage(text: string, options: object): Promise<unknown>; disconnect(): void }
type Client = {
  run(params: object, options?: object): Promise<Task>
  uploadFile(data: Blob): Promise<{ uri: string }>
  cancel(id: string): Promise<unknown>
  agent?(ref: string): Agent
}
type Sdk = { TaskStatusCompleted?: number; Inference: new (options: { apiKey: string; baseUrl: string }) => Client }

const [folder = '', baseUrl = '', apiKey = '', agentRef = ''] = process.argv.slice(2)
const app = 'millrace/echo'

// Bundlers add the extensions that the published ES modules omit; Node.js does not.
registerHooks({
  resolve: (specifier, context, next) => {
    if (!specifier.startsWith('.') || /\.\w+$/.test(specifier)) return next(specifier, context)
    const isFile = existsSync(new URL(`${specifier}.js`, context.parentURL))
    return next(isFile ? `${specifier}.js` : `${specifier}/index.js`, context)
  },
})

const load = async (): Promise<Sdk> => {
  const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string }
  const loaded = (await import(pathToFileURL(join(folder, main)).href)) as Sdk & { default?: Sdk }
  return loaded.Inference ? loaded : (loaded.default as Sdk)
}

const messageOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'no error',
    (error: unknown) => (error as Error).message,
  )

/** Resolves with the text of the agent once it has answered. */
const answerOf = (agent: Agent, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const onMessage = ({ role, content }: Message): void => {
      const said = content.map((part) => part.text ?? '').join('')
      if (role === 'assistant' && said.endsWith(text)) resolve(said)
    }
    agent.sendMessage(text, { onMessage }).catch(reject)
  })

const { Inference, TaskStatusCompleted } = await load()
const client = new Inference({ apiKey, baseUrl })
const agent = client.agent?.(agentRef)
const updates: unknown[] = []
// Until 0.4.0, the numbers of task statuses were others. Such a client cannot read a result.
if (TaskStatusCompleted !== undefined && TaskStatusCompleted !== taskStatus.completed) {
  console.log('null')
  process.exit(0)
}
const shown = (update: Task): number => updates.push(update.output)

const run = await client.run({ app, input: { a: 1 } })
const counted = await client.run(
  { app, function: 'count', input: { to: 3, delay_ms: 50 } },
  { onUpdate: shown, onPartialUpdate: shown },
)
const started = await client.run({ app, function: 'sleep', input: { ms: 60_000 } }, { wait: false })
await client.cancel(started.id)
const { uri } = await client.uploadFile(new Blob(['one two'], { type: 'text/plain' }))
const results = {
  run: run.output,
  counted: counted.output,
  updated: updates.length > 0,
  failed: await messageOf(client.run({ app, function: 'fail', input: { message: 'as requested' } })),
  missing: await messageOf(client.run({ app: 'nobody/nothing', input: {} })),
  uploaded: await (await fetch(uri)).text(),
  answered: agent ? await answerOf(agent, 'sleep 1000') : null,
}
agent?.disconnect()
console.log(JSON.stringify(results))
process.exit(0)
