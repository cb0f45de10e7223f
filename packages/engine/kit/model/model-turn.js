// One model turn with any provider: the whole conversation is sent, deltas are yielded as they arrive, and the full
// output comes last. A request without a response is retried. An interrupted response is not, because the caller has
// already seen part of it.

import { withCacheMarks } from './cache-marks.js'
import { providerError } from './errors.js'
import { toPrompt, toToolChoice, toTools } from './prompt.js'
import { withRetries } from './retries.js'
import { makeTurn } from './turn.js'

const isGiven = (value) => value !== undefined && value !== null && value !== ''

const spelled = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  seed: 'seed',
  max_tokens: 'maxOutputTokens',
}

/** Settings in the spelling of the providers' packages; a provider ignores settings that it does not support. */
const settingsOf = (input) => {
  const settings = {}
  for (const [ours, theirs] of Object.entries(spelled)) if (isGiven(input[ours])) settings[theirs] = input[ours]
  const stop = Array.isArray(input.stop) ? input.stop : input.stop ? [input.stop] : []
  return stop.length > 0 ? { ...settings, stopSequences: stop } : settings
}

const formatOf = (format) => {
  if (format?.type === 'json_object') return { responseFormat: { type: 'json' } }
  if (format?.type !== 'json_schema' || !format.json_schema) return {}
  return { responseFormat: { type: 'json', schema: format.json_schema, name: format.name || 'answer' } }
}

/**
 * `about`: names for errors `{service, keyName, modelName}`. `settings: false` leaves sampling and format to the app,
 * which writes them into the request itself. `toolCallOptions`: provider options that must be sent with tool calls of
 * earlier turns. `cacheMark`: provider options that end a part of the request that the provider caches.
 */
export async function* modelTurn(input, turnOptions) {
  const { model, about, signal, providerOptions, settings = true, toolCallOptions, cacheMark } = turnOptions
  const turn = makeTurn(() => performance.now(), about)
  try {
    const options = {
      prompt: await toPrompt(input, toolCallOptions),
      ...toTools(input.tools),
      ...toToolChoice(input.tool_choice),
      ...(settings && { ...settingsOf(input), ...formatOf(input.response_format) }),
      ...(providerOptions && { providerOptions }),
      abortSignal: signal,
    }
    const request = cacheMark ? withCacheMarks(options, cacheMark) : options
    const { stream } = await withRetries(() => model.doStream(request), signal)
    for await (const part of stream) {
      const delta = turn.take(part)
      if (delta) yield delta
    }
  } catch (error) {
    if (signal.aborted) throw new Error('cancelled')
    throw providerError(error, about)
  }
  return turn.output()
}
