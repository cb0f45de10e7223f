// Reads the NDJSON answer of one run. Every line is checked: an app that writes something else into its answer fails
// its task, not the engine.

import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { TaskFailure } from '../failures.ts'

const RunLine = Type.Union([
  Type.Object({ type: Type.Literal('output'), data: Type.Unknown() }),
  Type.Object({ type: Type.Literal('delta'), data: Type.Unknown() }),
  Type.Object({ type: Type.Literal('result'), data: Type.Optional(Type.Unknown()) }),
  Type.Object({ type: Type.Literal('error'), error: Type.String() }),
])
export type RunLine = Static<typeof RunLine>

const check = Compile(RunLine)

export const parseRunLine = (text: string): RunLine => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new TaskFailure('the app answered something that is not valid JSON')
  }
  if (!check.Check(value)) throw new TaskFailure('the app answered a line the engine does not understand')
  return value
}

export async function* readRunLines(body: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<RunLine> {
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      held.push(chunk.subarray(start, end))
      const text = Buffer.concat(held).toString('utf8')
      held = []
      heldBytes = 0
      start = end + 1
      if (text.length > 0) yield parseRunLine(text)
    }
    heldBytes += chunk.length - start
    if (heldBytes > limitBytes) throw new TaskFailure(`the output is larger than ${limitBytes} bytes`)
    if (start < chunk.length) held.push(chunk.subarray(start))
  }
  if (held.length > 0) yield parseRunLine(Buffer.concat(held).toString('utf8'))
}
