// Settings of a turn under the names of the request body. Absent and empty settings are omitted.

const plain = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'seed',
  'max_tokens',
  'reasoning_effort',
  'reasoning_max_tokens',
]

export function extraBody(input) {
  const body = {}
  for (const key of plain)
    if (input[key] !== undefined && input[key] !== null && input[key] !== '') body[key] = input[key]
  const stop = Array.isArray(input.stop) ? input.stop : input.stop ? [input.stop] : []
  if (stop.length > 0) body.stop = stop
  const format = responseFormat(input.response_format)
  if (format) body.response_format = format
  return body
}

function responseFormat(format) {
  if (!format?.type || format.type === 'text') return undefined
  if (format.type !== 'json_schema') return { type: format.type }
  const { name = 'answer', json_schema: schema, strict = false } = format
  return { type: 'json_schema', json_schema: { name, schema, strict } }
}
