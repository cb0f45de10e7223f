// Guarantees: messages injected by handlers are placed correctly in the prompt.
import { expect, it } from 'vitest'
import { withInjected } from './prompt.ts'

const user = { role: 'user' as const, text: 'question' }
const own = { role: 'assistant' as const, text: 'earlier' }
const result = { role: 'tool' as const, text: 'result', tool_call_id: 'c' }
const asUser = { role: 'user' as const, text: 'note' }
const asOwn = { role: 'assistant' as const, text: 'thought' }

it.each([
  ['the question stays last', [own, user], [asUser], ['earlier', 'note', 'question']],
  ['a result stays with its call', [user, own, result], [asUser], ['question', 'earlier', 'result', 'note']],
  ['assistant messages never come last', [user, own, result], [asOwn], ['thought', 'question', 'earlier', 'result']],
  ['without a question', [own], [asUser], ['earlier', 'note']],
  ['without injections', [own, user], [], ['earlier', 'question']],
])('%s', (_claim, turns, injected, texts) => {
  expect(withInjected(turns, injected).map(({ text }) => text)).toEqual(texts)
})
