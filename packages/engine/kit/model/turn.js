// Accumulates one streamed model turn: every part of the stream may become a delta, and the last value is the full
// output.

// The runner recognizes deltas by the class name.
class LlmDelta {
  constructor(members) {
    Object.assign(this, members)
  }
}

export function makeTurn(now, { service }) {
  const begun = now()
  const calls = []
  const seen = {
    response: '',
    reasoning: '',
    firstAt: undefined,
    reasoningFrom: undefined,
    reasoningTo: undefined,
    usage: /** @type {object | undefined} */ (undefined),
  }

  const callOf = (id, name) => {
    const known = calls.findIndex((call) => call.id === id)
    if (known >= 0) return { index: known, fresh: false }
    calls.push({ id, type: 'function', function: { name, arguments: '' } })
    return { index: calls.length - 1, fresh: true }
  }

  const take = (part) => {
    switch (part.type) {
      case 'text-delta':
        seen.firstAt ??= now()
        seen.response += part.delta
        return new LlmDelta({ response: part.delta })
      case 'reasoning-delta':
        seen.firstAt ??= now()
        seen.reasoningFrom ??= now()
        seen.reasoningTo = now()
        seen.reasoning += part.delta
        return new LlmDelta({ response: '', reasoning: part.delta })
      case 'tool-input-start': {
        seen.firstAt ??= now()
        const { index } = callOf(part.id, part.toolName)
        return new LlmDelta({ response: '', tool_calls: [{ index, ...calls[index] }] })
      }
      case 'tool-input-delta': {
        const { index } = callOf(part.id, '')
        calls[index].function.arguments += part.delta
        return new LlmDelta({ response: '', tool_calls: [{ index, function: { arguments: part.delta } }] })
      }
      case 'tool-call': {
        const { index, fresh } = callOf(part.toolCallId, part.toolName)
        if (!fresh) return undefined
        calls[index].function.arguments = part.input
        return new LlmDelta({ response: '', tool_calls: [{ index, ...calls[index] }] })
      }
      case 'finish':
        refuseBroken(part, seen, calls, service)
        seen.usage = usageOf(part, seen, begun, now())
        return new LlmDelta({ response: '', usage: seen.usage })
      case 'error':
        throw part.error
      default:
        return undefined
    }
  }

  const output = () => ({
    response: seen.response,
    ...(seen.reasoning && { reasoning: seen.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(seen.usage && { usage: seen.usage }),
  })

  return { take, output }
}

/** A stream without a finish reason was interrupted; a content filter without any output is a refusal. */
function refuseBroken({ finishReason: { unified, raw } }, { response }, calls, service) {
  const isUnexplained = raw === undefined && unified === 'other'
  if (isUnexplained || unified === 'error') throw new Error(`${service} interrupted the response`)
  if (unified === 'content-filter' && response === '' && calls.length === 0)
    throw new Error('The provider’s content filter stopped the response. Rephrase the request.')
}

const seconds = (ms) => Math.round(ms) / 1000

function usageOf({ finishReason, usage: { inputTokens, outputTokens } }, seen, begun, ended) {
  const prompt = inputTokens.total ?? 0
  const completion = outputTokens.total ?? 0
  const spentMs = ended - (seen.firstAt ?? begun)
  return {
    stop_reason: finishReason.unified,
    time_to_first_token: seen.firstAt === undefined ? 0 : seconds(seen.firstAt - begun),
    tokens_per_second: spentMs > 0 ? Math.round((completion / spentMs) * 10_000) / 10 : 0,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    reasoning_tokens: outputTokens.reasoning ?? 0,
    cached_tokens: inputTokens.cacheRead ?? 0,
    cache_write_tokens: inputTokens.cacheWrite ?? 0,
    reasoning_time: seen.reasoningFrom === undefined ? 0 : seconds(seen.reasoningTo - seen.reasoningFrom),
  }
}
