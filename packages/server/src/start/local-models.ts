// Detects model servers on this machine at start and shows how agents can use them. Only their default ports on
// loopback are checked, once and with a short timeout.
import { get } from 'node:http'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Settings } from '#platform/settings/settings.ts'

type KnownServer = { readonly name: string; readonly port: number }

/** Default ports. */
const usualServers: readonly KnownServer[] = [
  { name: 'Ollama', port: 11_434 },
  { name: 'LM Studio', port: 1_234 },
  { name: 'vLLM', port: 8_000 },
  { name: 'llama.cpp', port: 8_080 },
]

export type LocalModels = KnownServer & { readonly models: readonly string[] }

const answerTimeoutMs = 500
const maxBytes = 256 * 1024

/** Any other response comes from another program on the port. */
const modelsIn = (text: string): string[] => {
  try {
    const { data } = parseUntrustedJson(text) as { data: { id: unknown }[] }
    return data.flatMap(({ id }) => (typeof id === 'string' && /^[\w./:@+-]{1,100}$/.test(id) ? id : []))
  } catch {
    return []
  }
}

const probe = (port: number, waitMs: number): Promise<string[]> =>
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

/** `ownPort` is skipped, because it is our own. */
export const findLocalModels = async (
  ownPort: number,
  { servers, waitMs } = { servers: usualServers, waitMs: answerTimeoutMs },
): Promise<LocalModels[]> => {
  const probed = servers.filter(({ port }) => port !== ownPort)
  const found = await Promise.all(
    probed.map(async (server) => ({ ...server, models: await probe(server.port, waitMs) })),
  )
  return found.filter(({ models }) => models.length > 0)
}

const maxNamed = 3

/** The lines of the banner: the models, and how to use them. */
export const offerOf = ({ name, port, models }: LocalModels, { ALLOW_PRIVATE_HOSTS: allowed }: Settings): string[] => {
  const more = models.length > maxNamed ? `, and ${models.length - maxNamed} more` : ''
  const isAllowed = allowed.some((host) => host === '*' || host.startsWith('127.0.0.1'))
  return [
    `  Models    ${name} on port ${port}: ${models.slice(0, maxNamed).join(', ')}${more}. Agents use it by the app millrace/openai-chat once you`,
    `            ${isAllowed ? '' : 'start with ALLOW_PRIVATE_HOSTS=127.0.0.1 and '}run: echo http://127.0.0.1:${port}/v1 | millrace secret create OPENAI_BASE_URL`,
  ]
}
