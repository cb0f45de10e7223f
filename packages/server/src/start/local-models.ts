// Model servers on this machine: whoever has one running is told, at the start, how agents get to use it. Only the usual
// ports of loopback are asked, once, and nobody waits for long.
import { get } from 'node:http'
import type { Settings } from '#platform/settings/settings.ts'

type Usual = { readonly name: string; readonly port: number }

/** Where each listens unless it was told otherwise. */
const usualServers: readonly Usual[] = [
  { name: 'Ollama', port: 11_434 },
  { name: 'LM Studio', port: 1_234 },
  { name: 'vLLM', port: 8_000 },
  { name: 'llama.cpp', port: 8_080 },
]

export type LocalModels = Usual & { readonly models: readonly string[] }

const patienceMs = 500
const maxBytes = 256 * 1024

/** What answers with anything but a list of models is something else that uses the port. */
const modelsIn = (text: string): string[] => {
  try {
    const { data } = JSON.parse(text) as { data: { id: unknown }[] }
    return data.flatMap(({ id }) => (typeof id === 'string' && /^[\w./:@+-]{1,100}$/.test(id) ? id : []))
  } catch {
    return []
  }
}

const ask = (port: number, waitMs: number): Promise<string[]> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(waitMs)
    const request = get({ host: '127.0.0.1', port, path: '/v1/models', agent: false, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.length > maxBytes) response.destroy()
      })
      response.once('close', () => resolve(response.statusCode === 200 ? modelsIn(text) : []))
    })
    request.on('error', () => resolve([]))
  })

/** `ownPort` is ours: nobody else listens there. */
export const findLocalModels = async (
  ownPort: number,
  { servers, waitMs } = { servers: usualServers, waitMs: patienceMs },
): Promise<LocalModels[]> => {
  const asked = servers.filter(({ port }) => port !== ownPort)
  const found = await Promise.all(asked.map(async (server) => ({ ...server, models: await ask(server.port, waitMs) })))
  return found.filter(({ models }) => models.length > 0)
}

const mostNamed = 3

/** How the banner offers one: what is there, and what to do. */
export const offerOf = ({ name, port, models }: LocalModels, { ALLOW_PRIVATE_HOSTS: allowed }: Settings): string[] => {
  const more = models.length > mostNamed ? `, and ${models.length - mostNamed} more` : ''
  const isAllowed = allowed.some((host) => host === '*' || host.startsWith('127.0.0.1'))
  return [
    `  Models    ${name} on port ${port}: ${models.slice(0, mostNamed).join(', ')}${more}. Agents use it by the app millrace/openai-chat once you`,
    `            ${isAllowed ? '' : 'start with ALLOW_PRIVATE_HOSTS=127.0.0.1 and '}say: echo http://127.0.0.1:${port}/v1 | millrace secret set OPENAI_BASE_URL`,
  ]
}
