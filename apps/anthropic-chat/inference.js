// Calls a model of Anthropic for one turn of an agent.

import { createAnthropic } from '@ai-sdk/anthropic'
import { guardedFetch } from '@millrace/app'
import { modelTurn, providerError, setupSchema } from '@millrace/app/model'

export { RunInput, RunOutput } from '@millrace/app/model'
export const AppSetup = setupSchema('ANTHROPIC')

const anthropicUrl = 'https://api.anthropic.com/v1'
const apiVersion = '2023-06-01'

export class App {
  setup(config) {
    this._config = config
  }

  async *run(input) {
    this._abort = new AbortController()
    const server = serverFrom(this._config)
    const model = server.model || (await newestModel(server))
    const provider = createAnthropic({ baseURL: server.baseUrl, apiKey: server.apiKey, fetch: guardedFetch })
    const thinking = thinkingOf(input)
    return yield* modelTurn(input, {
      model: provider(model),
      about: aboutOf(model),
      signal: this._abort.signal,
      cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      ...(thinking && { providerOptions: { anthropic: { thinking } } }),
    })
  }

  onCancel() {
    this._abort?.abort()
  }
}

const aboutOf = (modelName) => ({ service: 'Anthropic', keyName: 'ANTHROPIC_API_KEY', modelName })

function serverFrom(config = {}) {
  const baseUrl = (config.base_url || process.env.ANTHROPIC_BASE_URL || anthropicUrl).replace(/\/+$/, '')
  const apiKey = process.env.ANTHROPIC_API_KEY ?? ''
  if (apiKey === '') throw new Error('The secret ANTHROPIC_API_KEY is missing: add it to the workspace')
  return { baseUrl, apiKey, model: config.model || process.env.ANTHROPIC_MODEL || '' }
}

const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 24_576 }
const leastBudget = 1024

// A turn after a tool call must send the signed thoughts back. A chat does not store them, so this turn runs without
// thinking.
function thinkingOf({ reasoning_effort: effort, reasoning_max_tokens: most, tool_call_id: answered, context = [] }) {
  const budgetTokens = most || budgets[effort]
  const answersCall = Boolean(answered) || context.at(-1)?.role === 'tool'
  if (!budgetTokens || answersCall) return undefined
  return { type: 'enabled', budgetTokens: Math.max(leastBudget, budgetTokens) }
}

// The newest model is first in the list.
async function newestModel({ baseUrl, apiKey }) {
  const headers = { 'x-api-key': apiKey, 'anthropic-version': apiVersion }
  const response = await guardedFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(30_000) })
  if (!response.ok) {
    const message = 'No model is set, and the list of models could not be read'
    throw providerError(Object.assign(new Error(message), { statusCode: response.status }), aboutOf('none'))
  }
  const { data } = await response.json()
  const id = data?.[0]?.id
  if (!id) throw new Error('No model is set, and Anthropic lists none')
  return id
}
