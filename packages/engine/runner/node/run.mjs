// Runs one call of an app function and answers with NDJSON: an `output` or `delta` line for each yield, then one
// `result` or `error` line. Every error thrown by the app becomes the error line.

import { parseWith } from './app.mjs'
import { wireWriter } from './outputs.mjs'
import { OutputRejected } from './own-files.mjs'
import { isZod } from './schema.mjs'

const deltaMark = Symbol.for('inferencesh.delta')

export async function runFunction(app, body, { sockets, response, reporter, endLogs }) {
  const taskId = body.metadata?.task_id ?? ''
  joinTrace(body.metadata?.traceparent)
  const toLine = lineWriter(Date.now())
  let last
  try {
    const { fn, ...result } = await call(app, body, sockets, (line, fn) => write(response, toLine(line, fn)))
    last = toLine({ type: 'result', ...result }, fn)
  } catch (error) {
    reporter.print(error)
    last = toLine({ type: 'error', error: reporter.describe(error) })
  }
  sockets.finish(taskId)
  // The log marker is written first, so that the engine has every line of this run when it reads the result.
  endLogs()
  response.end(last)
}

// Tracing libraries, and programs started by the app, read the current trace from these variables. There is one run at
// a time.
function joinTrace(traceparent) {
  if (traceparent) process.env.TRACEPARENT = traceparent
  else delete process.env.TRACEPARENT
}

async function call(app, body, sockets, emit) {
  const name = body.function || 'run'
  const fn = app.functions.get(name)
  if (!fn) throw new Error(`the app has no function named ${name}`)
  const input = isZod(fn.input) ? parseWith(fn.input, body.input, 'input') : body.input
  const metadata = body.metadata ?? {}
  const second = fn.kind === 'stream' ? sockets.forTask(metadata.task_id, metadata) : metadata
  const returned = app.instance[name](input, second)
  if (!isGenerator(returned)) return { fn, data: (await returned) ?? null }
  return { fn, ...(await drain(returned, (line) => emit(line, fn))) }
}

// The returned value wins, then the last full output. With neither, the engine merges the deltas.
async function drain(generator, emit) {
  let latest
  for (;;) {
    const step = await generator.next()
    if (step.done)
      return step.value !== undefined ? { data: step.value } : latest === undefined ? {} : { data: latest.data }
    if (isDelta(step.value)) {
      await emit({ type: 'delta', data: step.value })
    } else {
      latest = { data: step.value }
      await emit({ type: 'output', data: step.value })
    }
  }
}

const isGenerator = (value) =>
  value !== null &&
  typeof value === 'object' &&
  typeof value.next === 'function' &&
  (typeof value[Symbol.asyncIterator] === 'function' || typeof value[Symbol.iterator] === 'function')

// A delta is an instance of a class named …Delta (or derived from one), or an object with the delta mark.
function isDelta(value) {
  if (value === null || typeof value !== 'object') return false
  if (value[deltaMark]) return true
  for (
    let proto = Object.getPrototypeOf(value);
    proto && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    if (proto.constructor?.name?.endsWith('Delta')) return true
  }
  return false
}

function lineWriter(begunAt) {
  const toWire = wireWriter(begunAt)
  return (line, fn) => {
    try {
      return `${toWire(line, fn?.outputSchema)}\n`
    } catch (error) {
      if (error instanceof OutputRejected) throw error
      throw new Error(`the output is not valid JSON: ${error.name}: ${error.message}`)
    }
  }
}

// Backpressure: a slow reader slows the app down instead of filling its memory.
function write(response, text) {
  if (response.destroyed) throw new Error('the engine closed the connection')
  if (response.write(text)) return undefined
  return new Promise((resolve, reject) => {
    const settle = (act) => () => {
      response.off('drain', onDrain)
      response.off('close', onClose)
      act()
    }
    const onDrain = settle(resolve)
    const onClose = settle(() => reject(new Error('the engine closed the connection')))
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}
