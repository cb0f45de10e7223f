// Evaluates one JSONata expression over one value. An expression cannot access anything else.

import jsonata from 'jsonata'

export const RunInput = {
  type: 'object',
  properties: {
    data: { description: 'The value to transform' },
    expression: { type: 'string', minLength: 1, description: 'A JSONata expression' },
    bindings: {
      type: 'object',
      additionalProperties: true,
      description: 'Values that the expression can use as $name',
    },
  },
  required: ['data', 'expression'],
}
export const RunOutput = {
  type: 'object',
  properties: { result: { description: 'The result of the expression, or null if nothing matches' } },
  required: ['result'],
}

export class App {
  async run({ data, expression, bindings = {} }) {
    let compiled
    try {
      compiled = jsonata(expression)
    } catch (error) {
      throw new Error(`The expression is not valid at position ${error.position ?? '?'}: ${error.message}`)
    }
    const result = await compiled.evaluate(data, bindings)
    if (typeof result === 'function') throw new Error('The result of the expression is a function, not a value')
    // A JSONata sequence has extra properties; a copy through JSON removes them.
    return { result: result === undefined ? null : JSON.parse(JSON.stringify(result)) }
  }
}
