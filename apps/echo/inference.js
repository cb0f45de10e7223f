// Echo returns its input. The other functions each show one feature of the platform.

export const RunInput = { type: 'object', additionalProperties: true }
export const RunOutput = { type: 'object', additionalProperties: true }

const milliseconds = { type: 'integer', minimum: 0, maximum: 60_000 }

export const CountInput = {
  type: 'object',
  properties: {
    to: { type: 'integer', minimum: 1, maximum: 10_000, default: 3 },
    delay_ms: { ...milliseconds, default: 0 },
  },
}
export const CountOutput = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }

export const WordsInput = {
  type: 'object',
  properties: { text: { type: 'string' }, delay_ms: { ...milliseconds, default: 0 } },
  required: ['text'],
}
export const WordsOutput = { type: 'object', properties: { response: { type: 'string' } }, required: ['response'] }

export const SleepInput = { type: 'object', properties: { ms: milliseconds }, required: ['ms'] }
export const SleepOutput = { type: 'object', properties: { slept_ms: { type: 'integer' } }, required: ['slept_ms'] }

export const LogInput = {
  type: 'object',
  properties: { lines: { type: 'array', items: { type: 'string' } } },
  required: ['lines'],
}
export const LogOutput = { type: 'object', properties: { lines: { type: 'integer' } }, required: ['lines'] }

export const FailInput = { type: 'object', properties: { message: { type: 'string' } } }
export const FailOutput = { type: 'object' }

export const LiveInput = {
  type: 'object',
  properties: { messages: { type: 'array', format: 'stream', items: {} } },
}
export const LiveOutput = {
  type: 'object',
  properties: { messages: { type: 'array', format: 'stream', items: {} }, frames: { type: 'integer' } },
  required: ['frames'],
}

// The class distinguishes a delta from a full output.
class TextDelta {
  constructor(response) {
    this.response = response
  }
}

export class App {
  run(input) {
    return input
  }

  async *count({ to = 3, delay_ms: delayMs = 0 }) {
    this._cancelled = false
    for (let count = 1; count <= to && !this._cancelled; count++) {
      if (delayMs > 0) await this._pause(delayMs)
      yield { count }
    }
  }

  async *words({ text, delay_ms: delayMs = 0 }) {
    this._cancelled = false
    for (const word of text.match(/\S+\s*/g) ?? []) {
      if (delayMs > 0) await this._pause(delayMs)
      if (this._cancelled) break
      yield new TextDelta(word)
    }
    return { response: text }
  }

  async sleep({ ms }) {
    const began = Date.now()
    await this._pause(ms)
    return { slept_ms: Date.now() - began }
  }

  async log({ lines }) {
    for (const line of lines) console.log(line)
    return { lines: lines.length }
  }

  async fail({ message = 'failed as asked' }) {
    throw new Error(message)
  }

  // A cancel closes the socket, which ends the loop.
  async live(_input, socket) {
    let frames = 0
    for await (const frame of socket) {
      frames++
      await socket.send(frame)
    }
    return { frames }
  }

  async onCancel() {
    this._cancelled = true
    this._wake?.()
  }

  _pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this._wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
