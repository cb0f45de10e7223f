// Calls a Gemini model of Google for one turn of an agent.

import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { guardedFetch } from '@millrace/app'
import { modelTurn, setupSchema } from '@millrace/app/model'

export { RunInput, RunOutput } from '@millrace/app/model'
export const AppSetup = setupSchema('GEMINI')

const geminiUrl = 'https://generativelanguage.googleapis.com/v1beta'
const usualModel = 'gemini-flash-latest'

export class App {
  setup(config) {
    this._config = config
  }

  async *run(input) {
    this._abort = new AbortController()
    const { baseUrl, apiKey, model } = serverFrom(this._config)
    const provider = createGoogleGenerativeAI({ baseURL: baseUrl, apiKey, fetch: guardedFetch })
    const thinkingConfig = thinkingOf(input)
    return yield* modelTurn(input, {
      model: provider(model),
      about: { service: 'Gemini', keyName: 'GEMINI_API_KEY', modelName: model },
      signal: this._abort.signal,
      ...(thinkingConfig && { providerOptions: { google: { thinkingConfig } } }),
      ...(/gemini-3/.test(model) && { toolCallOptions: withoutSignature }),
    })
  }

  onCancel() {
    this._abort?.abort()
  }
}

// Newer models require signatures of earlier tool calls. A chat does not store signatures, and this value of the service
// turns the check off.
const withoutSignature = { google: { thoughtSignature: 'skip_thought_signature_validator' } }

function serverFrom(config = {}) {
  const baseUrl = (config.base_url || process.env.GEMINI_BASE_URL || geminiUrl).replace(/\/+$/, '')
  const apiKey = process.env.GEMINI_API_KEY ?? ''
  if (apiKey === '') throw new Error('The secret GEMINI_API_KEY is missing: add it to the workspace')
  return { baseUrl, apiKey, model: config.model || process.env.GEMINI_MODEL || usualModel }
}

const budgets = { minimal: 512, low: 2048, medium: 8192, high: 24_576 }

function thinkingOf({ reasoning_effort: effort, reasoning_max_tokens: most }) {
  const thinkingBudget = most || budgets[effort]
  return thinkingBudget ? { thinkingBudget, includeThoughts: true } : undefined
}
