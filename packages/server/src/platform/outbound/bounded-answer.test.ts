// Guarantees: JSON of another server that would be expensive to parse is refused before a library parses it, as a whole
// answer and as the event of a stream; every other answer passes unchanged.
import { describe, expect, it } from 'vitest'
import { boundedAnswer } from './bounded-answer.ts'

const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
const json = { headers: { 'content-type': 'application/json; charset=utf-8' } }
const events = { headers: { 'content-type': 'text/event-stream' } }

const streamOf = (text: string, pieceBytes: number): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + pieceBytes))
      at += pieceBytes
    },
  })
}

const bodyOf = async (body: string | ReadableStream<Uint8Array>, init: ResponseInit): Promise<string> =>
  (await boundedAnswer(new Response(body, init))).text()

describe('an answer', () => {
  it.each([
    ['JSON', '{"a":[1,{"b":"ü"}]}', json],
    ['invalid JSON', '{"a":', json],
    ['text', deep, { headers: { 'content-type': 'text/plain' } }],
    ['no type', 'a', {}],
  ])('passes unchanged: %s', async (_what, text, init) => {
    const answer = await boundedAnswer(new Response(text, { status: 418, ...init }))
    expect([answer.status, await answer.text()]).toEqual([418, text])
  })

  it.each([deep, `[${'{},'.repeat(200_000)}{}]`])('is refused', async (text) => {
    await expect(bodyOf(text, json)).rejects.toThrow(/nested too deeply|names, objects and lists/)
  })
})

describe.each([1, 3, 65_536])('a stream of events in pieces of %d bytes', (pieceBytes) => {
  it.each([
    'event: message\ndata: {"a":[1]}\n\n',
    ': comment "\r\ndata:{"a":\r\ndata:"ü"}\r\n\r\ndata: {}\r\rdata',
    `id: ${deep}\n\n`,
    `data: ${'[\n\ndata: '.repeat(100)}\n\n`,
  ])('passes unchanged: %#', async (text) => {
    expect(await bodyOf(streamOf(text, pieceBytes), events)).toBe(text)
  })

  it.each([
    `data: ${deep}\n\n`,
    `data:${deep}`,
    `id: "\ndata: ${deep}\n\n`,
    `${'data: [[\n'.repeat(100)}\n`,
    `${'data: [[\r\n'.repeat(100)}\r\n`,
    `${'data: [[\r'.repeat(100)}\r`,
  ])('is refused: %#', async (text) => {
    await expect(bodyOf(streamOf(text, pieceBytes), events)).rejects.toThrow('nested too deeply')
  })
})
