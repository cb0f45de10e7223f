// The schemas of a model call: the same for every model app, so that agents can use any of them.

const file = { type: 'string', format: 'file' }
const number = (description) => ({ type: 'number', ...(description && { description }) })

const toolCall = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    type: { type: 'string' },
    function: { type: 'object', properties: { name: { type: 'string' }, arguments: {} }, required: ['name'] },
  },
}

const message = {
  type: 'object',
  properties: {
    role: { type: 'string', enum: ['system', 'user', 'assistant', 'tool'] },
    text: { type: 'string' },
    reasoning: { type: 'string' },
    images: { type: 'array', items: file },
    files: { type: 'array', items: file },
    tools: { type: 'array' },
    tool_calls: { type: 'array', items: toolCall },
    tool_call_id: { type: 'string' },
  },
  required: ['role'],
}

/** Settings that a run may override; `prefix` is the prefix of the app's secrets. */
export const setupSchema = (prefix) => ({
  type: 'object',
  properties: {
    base_url: { type: 'string', description: `Address of the server; overrides ${prefix}_BASE_URL` },
    model: { type: 'string', description: `Model to use; overrides ${prefix}_MODEL` },
  },
})

export const RunInput = {
  type: 'object',
  properties: {
    context_size: number('Accepted for other model apps; the server decides'),
    temperature: number(),
    top_p: number(),
    top_k: number(),
    min_p: number(),
    frequency_penalty: number(),
    presence_penalty: number(),
    repetition_penalty: number(),
    seed: { type: 'integer' },
    stop: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    max_tokens: { type: 'integer' },
    reasoning_effort: { type: 'string' },
    reasoning_max_tokens: { type: 'integer' },
    system_prompt: { type: 'string' },
    tools: { type: 'array', items: { type: 'object' } },
    tool_choice: {
      type: 'object',
      properties: {
        mode: { type: 'string', enum: ['none', 'auto', 'required', 'function'] },
        name: { type: 'string' },
      },
    },
    response_format: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['text', 'json_object', 'json_schema'] },
        name: { type: 'string' },
        json_schema: { type: 'object' },
        strict: { type: 'boolean' },
      },
    },
    context: { type: 'array', items: message },
    role: { type: 'string', enum: ['user', 'tool', 'system', 'assistant'], default: 'user' },
    text: { type: 'string' },
    attachments: { type: 'array', items: { type: 'object' } },
    images: { type: 'array', items: file },
    files: { type: 'array', items: file },
    tool_call_id: { type: 'string' },
  },
}

export const RunOutput = {
  type: 'object',
  properties: {
    response: { type: 'string' },
    reasoning: { type: 'string' },
    tool_calls: { type: 'array', items: toolCall },
    usage: {
      type: 'object',
      properties: {
        stop_reason: { type: 'string' },
        time_to_first_token: number('Seconds'),
        tokens_per_second: number(),
        prompt_tokens: { type: 'integer' },
        completion_tokens: { type: 'integer' },
        total_tokens: { type: 'integer' },
        reasoning_tokens: { type: 'integer' },
        cached_tokens: { type: 'integer', description: 'Prompt tokens read from the cache of the provider' },
        cache_write_tokens: { type: 'integer', description: 'Prompt tokens written to the cache of the provider' },
        reasoning_time: number('Seconds'),
      },
    },
  },
  required: ['response'],
}
