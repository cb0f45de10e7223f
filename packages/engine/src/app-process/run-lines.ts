// Reads the NDJSON response of one run. Every line is checked: an invalid response fails its task, not the engine.

import { jsonBounds } from '@millrace/contract/json-bounds'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseJson } from '../bounded-json.ts'
import { messageOf, TaskFailure } from '../failures.ts'

const RunLine = Type.Union([
  Type.Object({ type: Type.Literal('output'), data: Type.Unknown() }),
  Type.Object({ type: Type.Literal('delta'), data: Type.Unknown() }),
  Type.Object({ type: Type.Literal('result'), data: Type.Optional(Type.Unknown()) }),
  Type.Object({ type: Type.Literal('error'), error: Type.String() }),
])
export type RunLine = Static<typeof RunLine>

const check = Compile(RunLine)

// The line is an object around the output, so it may be one level deeper.
const lineBounds = { ...jsonBounds, depth: jsonBounds.depth + 1 }

export const parseRunLine = (line: string | Uint8Array): RunLine => {
  let value: unknown
  try {
    value = parseJson(line, lineBounds)
  } catch (error) {
    throw new TaskFailure(`the app answered with a line that ${messageOf(error)}`)
  }
  if (!check.Check(value)) throw new TaskFailure('the app answered with a line that the engine does not understand')
  return value
}

export async function* readRunLines(body: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<RunLine> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      pending.push(chunk.subarray(start, end))
      const line = Buffer.concat(pending)
      pending = []
      pendingBytes = 0
      start = end + 1
      if (line.length > 0) yield parseRunLine(line)
    }
    pendingBytes += chunk.length - start
    if (pendingBytes > limitBytes) throw new TaskFailure(`the output is larger than ${limitBytes} bytes`)
    if (start < chunk.length) pending.push(chunk.subarray(start))
  }
  if (pending.length > 0) yield parseRunLine(Buffer.concat(pending))
}
