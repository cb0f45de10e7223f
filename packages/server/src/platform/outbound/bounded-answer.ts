// Bounds the JSON of an answer that a library parses: its size is limited by the request, its nesting and parts here.
import { assertBoundedJson } from '@millrace/contract/parse-untrusted'

const lineFeed = 10
const carriageReturn = 13
const dataField = /^data(?::|$)/

/** Checks the data of each event of a stream before the library sees the event's end. */
const boundedEvents = (): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder()
  let line: Buffer[] = []
  let data: string[] = []
  let afterReturn = false

  const endLine = (): void => {
    const text = decoder.decode(Buffer.concat(line))
    line = []
    if (text === '') {
      if (data.length > 0) assertBoundedJson(data.join('\n'))
      data = []
    } else if (dataField.test(text)) data.push(text.slice('data:'.length))
  }

  return new TransformStream({
    transform: (chunk, controller) => {
      let from = 0
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at]
        const isSecondHalf = byte === lineFeed && afterReturn
        afterReturn = byte === carriageReturn
        if (byte !== lineFeed && byte !== carriageReturn) continue
        line.push(Buffer.from(chunk.subarray(from, at)))
        from = at + 1
        if (isSecondHalf) line = []
        else endLine()
      }
      line.push(Buffer.from(chunk.subarray(from)))
      controller.enqueue(chunk)
    },
    // Parsers also dispatch an event that the end of the stream cuts off.
    flush: () => {
      endLine()
      if (data.length > 0) assertBoundedJson(data.join('\n'))
    },
  })
}

/** Throws, or ends the body with an error, when the JSON of the answer would be expensive to parse. */
export const boundedAnswer = async (answer: Response): Promise<Response> => {
  const type = answer.headers.get('content-type') ?? ''
  const { status, statusText, headers } = answer
  if (answer.body && type.includes('text/event-stream'))
    return new Response(answer.body.pipeThrough(boundedEvents()), { status, statusText, headers })
  if (!answer.body || !type.includes('json')) return answer
  const bytes = new Uint8Array(await answer.arrayBuffer())
  assertBoundedJson(bytes)
  return new Response(bytes, { status, statusText, headers })
}

/** The answer of a request that has no limit of its own: its body fails when it exceeds the limit. */
export const limitedAnswer = (answer: Response, maxBytes: number): Response => {
  if (!answer.body) return answer
  let bytes = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > maxBytes) throw new Error(`The answer exceeds ${maxBytes} bytes`)
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = answer
  return new Response(answer.body.pipeThrough(counting), { status, statusText, headers })
}
