// One model turn against any OpenAI-compatible server, in the shapes agents use: the whole conversation goes in, text,
// reasoning and tool calls come out, as deltas while they arrive and as a whole at the end.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { guardedFetch } from '@millrace/app'
import { modelTurn, providerError, setupSchema } from '@millrace/app/model'
import { extraBody } from './settings.js'

export { RunInput, RunOutput } from '@millrace/app/model'
export const AppSetup = setupSchema('OPENAI')

const openAiUrl = 'https://api.openai.com/v1'
const listedMs = 60_000

export class App {
  setup(config) {
    this._config = config
  }

  async *run(input) {
    this._abort = new AbortController()
    const server = serverFrom(this._config)
    const model = server.model || (await this._firstModel(server))
    const provider = createOpenAICompatible({
      name: 'server',
      baseURL: server.baseUrl,
      fetch: guardedFetch,
      includeUsage: true,
      transformRequestBody: (body) => ({ ...body, ...extraBody(input) }),
      ...(server.apiKey && { apiKey: server.apiKey }),
    })
    try {
      return yield* modelTurn(input, {
        model: provider(model),
        about: aboutOf(server, model),
        signal: this._abort.signal,
        // Servers of this kind know settings that the library does not: they are written into the request as they are.
        settings: false,
      })
    } catch (error) {
      // The server may have another model by now.
      this._listed = undefined
      throw error
    }
  }

  // Asked for once in a while, not before every turn: what a server has loaded changes rarely.
  async _firstModel(server) {
    const known = this._listed
    if (known?.baseUrl === server.baseUrl && performance.now() - known.atMs < listedMs) return known.model
    const model = await firstModel(server)
    this._listed = { baseUrl: server.baseUrl, model, atMs: performance.now() }
    return model
  }

  onCancel() {
    this._abort?.abort()
  }
}

const aboutOf = ({ baseUrl }, modelName) => ({ service: new URL(baseUrl).host, keyName: 'OPENAI_API_KEY', modelName })

function serverFrom(config = {}) {
  const baseUrl = (config.base_url || process.env.OPENAI_BASE_URL || openAiUrl).replace(/\/+$/, '')
  return { baseUrl, apiKey: process.env.OPENAI_API_KEY ?? '', model: config.model || process.env.OPENAI_MODEL || '' }
}

async function firstModel(server) {
  const { baseUrl, apiKey } = server
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const response = await guardedFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(30_000) })
  if (!response.ok) {
    const message = 'no model is set, and its models could not be listed'
    throw providerError(Object.assign(new Error(message), { statusCode: response.status }), aboutOf(server, 'none'))
  }
  const { data } = await response.json()
  const id = data?.[0]?.id
  if (!id) throw new Error(`no model is set, and ${baseUrl} lists none`)
  return id
}
