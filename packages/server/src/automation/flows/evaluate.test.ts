// Guarantees: an expression can be evaluated before it is saved. Its error is an answer, not a failure, and it has the
// same step limit as in a run.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'

const body = { expression: 'input.a + input.b', input: { a: 1, b: 2 } }

scenarios('flows.evaluate', () => ({}), [
  {
    claim: 'the value of an expression',
    as: 'member',
    body,
    status: 200,
    check: ({ data }) => expect(data).toEqual({ value: 3 }),
  },
  {
    claim: 'a key with the scope; without an input',
    as: 'key:flows:write',
    body: { expression: '"flour".size()' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ value: 5 }),
  },
  {
    claim: 'an incomplete expression',
    as: 'owner',
    body: { expression: 'input.a +' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ error: expect.any(String) }),
  },
  {
    claim: 'a missing field',
    as: 'owner',
    body: { expression: 'input.c', input: { a: 1 } },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ error: expect.stringContaining('c') }),
  },
  {
    claim: 'more steps than the limit',
    as: 'owner',
    body: {
      expression: 'input.l.all(a, input.l.all(b, input.l.all(c, a + b + c >= 0)))',
      input: { l: Array.from({ length: 200 }, (_, index) => index) },
    },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ error: 'the expression takes too many steps' }),
  },
  { claim: 'no expression', as: 'owner', body: { input: {} }, status: 400, code: 'validation_error' },
  {
    claim: 'an expression that is too long',
    as: 'owner',
    body: { expression: '1+'.repeat(2_001) },
    status: 400,
    code: 'validation_error',
  },
])
