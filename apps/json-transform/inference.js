// JSON transform: one JSONata expression over one value. Expressions can compute but reach nothing outside the value.

import jsonata from 'jsonata'

export const RunInput = {
  type: 'object',
  properties: {
    data: { description: 'The value to transform' },
    expression: { type: 'string', minLength: 1, description: 'A JSONata expression' },
    bindings: { type: 'object', additionalProperties: true, description: 'Values the expression may use as $name' },
  },
  required: ['data', 'expression'],
}
export const RunOutput = {
  type: 'object',
  properties: { result: { description: 'What the expression gave; null when it matched nothing' } },
  required: ['result'],
}

export class App {
  async run({ data, expression, bindings = {} }) {
    let compiled
    try {
      compiled = jsonata(expression)
    } catch (error) {
      throw new Error(`the expression is not valid at position ${error.position ?? '?'}: ${error.message}`)
    }
    const result = await compiled.evaluate(data, bindings)
    if (typeof result === 'function') throw new Error('the expression gave a function, not a value')
    // A sequence of the language carries marks of its own; a copy through JSON leaves the plain value.
    return { result: result === undefined ? null : JSON.parse(JSON.stringify(result)) }
  }
}
