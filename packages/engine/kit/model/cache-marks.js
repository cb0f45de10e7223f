// Marks the ends of the parts that repeat between the turns of a conversation, for providers that cache a request up to a
// mark: the tools, the system prompt and the conversation. Each request begins like the one before it, so the provider
// reads these parts from its cache.

const marked = (part, mark) => ({ ...part, providerOptions: { ...part.providerOptions, ...mark } })

const withMarkAt = (parts, index, mark) => parts.map((part, at) => (at === index ? marked(part, mark) : part))

/** `mark`: the provider options that end a cached part. */
export function withCacheMarks({ prompt, tools, ...options }, mark) {
  const isSystemFirst = prompt[0]?.role === 'system'
  const withSystem = isSystemFirst ? withMarkAt(prompt, 0, mark) : prompt
  return {
    ...options,
    prompt: withMarkAt(withSystem, prompt.length - 1, mark),
    ...(tools && { tools: withMarkAt(tools, tools.length - 1, mark) }),
  }
}
