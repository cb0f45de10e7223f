// One model turn against any OpenAI-compatible server, in the shapes agents use: the whole conversation goes in, text,
// reasoning and tool calls come out, as deltas while they arrive and as a whole at the end.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { guardedFetch } from '@millrace/app'
import { streamText } from 'ai'
import { toMessages, toToolChoice, toTools } from './messages.js'
import { extraBody } from './settings.js'
import { makeTurn } from './turn.js'

export { AppSetup, RunInput, RunOutput } from './schemas.js'

const openAiUrl = 'https://api.openai.com/v1'

export class App {
  setup(config) {
    this._config = config
  }

  async *run(input) {
    this._abort = new AbortController()
    const server = serverFrom(this._config)
    const model = server.model || (await firstModel(server))
    const provider = createOpenAICompatible({
      name: 'server',
      baseURL: server.baseUrl,
      fetch: guardedFetch,
      includeUsage: true,
      transformRequestBody: (body) => ({ ...body, ...extraBody(input) }),
      ...(server.apiKey && { apiKey: server.apiKey }),
    })
    const stream = streamText({
      model: provider(model),
      messages: await toMessages(input),
      allowSystemInMessages: true,
      ...(input.system_prompt && { instructions: input.system_prompt }),
      ...toTools(input.tools),
      ...toToolChoice(input.tool_choice),
      maxRetries: 2,
      abortSignal: this._abort.signal,
      // Errors arrive as parts of the stream; the default would also print them.
      onError: () => {},
    })
    const turn = makeTurn(() => performance.now())
    for await (const part of stream.fullStream) {
      const delta = turn.take(part)
      if (delta) yield delta
    }
    return turn.output()
  }

  onCancel() {
    this._abort?.abort()
  }
}

function serverFrom(config = {}) {
  const baseUrl = (config.base_url || process.env.OPENAI_BASE_URL || openAiUrl).replace(/\/+$/, '')
  return { baseUrl, apiKey: process.env.OPENAI_API_KEY ?? '', model: config.model || process.env.OPENAI_MODEL || '' }
}

async function firstModel({ baseUrl, apiKey }) {
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const response = await guardedFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(30_000) })
  if (!response.ok) throw new Error(`no model is set, and ${baseUrl}/models answered ${response.status}`)
  const { data } = await response.json()
  const id = data?.[0]?.id
  if (!id) throw new Error(`no model is set, and ${baseUrl} lists none`)
  return id
}
