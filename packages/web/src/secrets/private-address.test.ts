// Guarantees: the address of a local model is recognized, and nothing else.
import { expect, it } from 'vitest'
import { privateHostOf } from './private-address.ts'

it.each([
  ['http://127.0.0.1:11434/v1', '127.0.0.1'],
  ['http://localhost:8080', 'localhost'],
  ['https://192.168.1.7/v1', '192.168.1.7'],
  ['http://models.internal', 'models.internal'],
  ['http://[::1]:1234', '[::1]'],
])('recognizes %s', (value, host) => {
  expect(privateHostOf(value)).toBe(host)
})

it.each(['https://api.openai.com/v1', '127.0.0.1', 'sk-123', '', 'https://10.example.com'])('ignores %j', (value) => {
  expect(privateHostOf(value)).toBeUndefined()
})
