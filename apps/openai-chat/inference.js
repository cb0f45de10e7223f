// Calls an OpenAI-compatible server for one turn of an agent. The input is the whole conversation. Text, reasoning and tool
// calls are sent as deltas while they arrive, and complete at the end.

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
        // Compatible servers accept settings that the library does not know, so these are added to the request unchanged.
        settings: false,
      })
    } catch (error) {
      // The server may have loaded another model since.
      this._listed = undefined
      throw error
    }
  }

  // Cached between turns, because the loaded models of a server rarely change.
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
    const message = 'No model is set, and the list of models could not be read'
    throw providerError(Object.assign(new Error(message), { statusCode: response.status }), aboutOf(server, 'none'))
  }
  const { data } = await response.json()
  const id = data?.[0]?.id
  if (!id) throw new Error(`No model is set, and ${baseUrl} lists none`)
  return id
}
