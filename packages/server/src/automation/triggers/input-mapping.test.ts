// Guarantees: the input of a run follows from the trigger's input, its mapping and the payload as in [triggers 3],
// 10.3. A mapping that can never work is refused when it is stored.
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'
import { describe, expect, it } from 'vitest'
import { findMappingFault, mapInput } from './input-mapping.ts'

const event = {
  text: 'hello',
  user: { name: 'Ada', age: 36, admin: true, nick: null },
  tags: ['a', { id: 2 }],
  braces: '{{user.name}}',
}

const from = (key: string) => ({ connection: { nodeId: 'trigger', key, type: '' } })

const run = (mapping: InputMapping, input = {}, payload: unknown = event, action: TriggerAction = 'run_app') =>
  mapInput({ action, input, mapping, payload })

const mapped = (input: object, nodes = {}, context = {}) => ({ ok: true, input, nodes, context })

describe('values of a mapping', () => {
  it.each([
    ['a literal text', 'plain', 'plain'],
    ['a literal number', 5, 5],
    ['a literal null', null, null],
    ['a literal list', [1, 'two', { three: 3 }], [1, 'two', { three: 3 }]],
    ['a template', 'Hi {{user.name}}!', 'Hi Ada!'],
    ['a template with spaces', '{{ user.name }}', 'Ada'],
    ['several parts', '{{user.name}}/{{user.age}}/{{user.admin}}', 'Ada/36/true'],
    ['a single placeholder is still text', '{{user.age}}', '36'],
    ['a missing value', '[{{user.email}}]', '[]'],
    ['a null value', '[{{user.nick}}]', '[]'],
    ['an empty placeholder', '[{{}}]', '[]'],
    ['a list as value', '{{tags}}', '["a",{"id":2}]'],
    ['an element', '{{tags.1.id}} {{tags[0]}}', '2 a'],
    ['braces in the payload stay', '{{braces}}', '{{user.name}}'],
    ['an unclosed placeholder', 'Hi {{user.name', 'Hi {{user.name'],
    ['an inherited property name', '[{{constructor.name}}]', '[]'],
    ['a connection preserves a number', from('user.age'), 36],
    ['a connection preserves a boolean', from('user.admin'), true],
    ['a connection preserves null', from('user.nick'), null],
    ['a connection preserves an object', from('user'), event.user],
    ['a connection preserves a list', from('tags'), event.tags],
    ['an empty key selects the whole payload', from(''), event],
    ['inside an object', { who: from('user.name'), greeting: 'Hi {{text}}' }, { who: 'Ada', greeting: 'Hi hello' }],
    ['inside a list', [from('user.age'), '{{text}}'], [36, 'hello']],
    ['missing inside an object', { a: 1, b: from('nope') }, { a: 1 }],
    ['missing inside a list', [from('nope'), 1], [null, 1]],
  ])('%s', (_, value, result) => {
    expect(run({ input: { field: value } })).toEqual(mapped({ field: result }))
  })

  it('omits a field whose connection has no value', () => {
    expect(run({ input: { kept: 1, lost: from('user.email'), far: from('user.name.first') } })).toEqual(
      mapped({ kept: 1 }),
    )
  })

  it.each([
    ['texts', '{{lines}}'.repeat(1_000)],
    ['connections', Array.from({ length: 1_000 }, () => from('lines'))],
  ])('refuses to multiply a large value: %s', (_, value) => {
    const lines = Array.from({ length: 1_000 }, () => 'a line')
    expect(run({ input: { field: value } }, {}, { lines })).toEqual({
      ok: false,
      detail: 'the mapping creates more than 4194304 characters',
    })
  })

  it('treats field names as plain names', () => {
    const mapping = JSON.parse('{"input": {"__proto__": "x", "constructor": "{{text}}"}}')
    const result = run(mapping)
    expect(JSON.stringify(result.ok && result.input)).toBe('{"__proto__":"x","constructor":"hello"}')
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

describe('the destination of a mapping', () => {
  it('is merged into the input of the trigger', () => {
    expect(run({ input: { b: '{{text}}' } }, { a: 1, b: 2 })).toEqual(mapped({ a: 1, b: 'hello' }))
    expect(run({ input: { b: from('nope') } }, { a: 1, b: 2 })).toEqual(mapped({ a: 1, b: 2 }))
  })

  it('reaches single nodes of a flow', () => {
    const mapping = {
      input: { q: '{{text}}' },
      node_1: { age: from('user.age') },
      context: { note: 'a node of that name' },
    }
    expect(run(mapping, { a: 1 }, event, 'run_flow')).toEqual(
      mapped({ a: 1, q: 'hello' }, { node_1: { age: 36 }, context: { note: 'a node of that name' } }),
    )
  })

  it('provides the message and the context of an agent as text', () => {
    const mapping = {
      input: { text: '{{text}}?' },
      context: { name: from('user.name'), age: from('user.age'), no: from('x') },
    }
    expect(run(mapping, {}, event, 'run_agent')).toEqual(mapped({ text: 'hello?' }, {}, { name: 'Ada', age: '36' }))
  })

  it('reads the input of the trigger if the fire has no payload', () => {
    for (const payload of [{}, null]) {
      expect(run({ input: { b: '{{a}}!', all: from('') } }, { a: 1 }, payload)).toEqual(
        mapped({ a: 1, b: '1!', all: { a: 1 } }),
      )
    }
  })

  it('reads payloads that are not objects', () => {
    expect(run({ input: { first: from('0'), all: from('') } }, {}, [7])).toEqual(mapped({ first: 7, all: [7] }))
  })
})

describe('without a mapping', () => {
  it.each(['run_app', 'run_flow', 'resolve_interrupt'] as const)(
    '%s uses the payload, otherwise the input',
    (action) => {
      const input = { a: 1 }
      expect(run({}, input, { b: 2 }, action)).toEqual(mapped({ b: 2 }))
      for (const payload of [{}, null]) expect(run({}, input, payload, action)).toEqual(mapped({ a: 1 }))
      expect(mapInput({ action, input, mapping: {}, payload: undefined })).toEqual(mapped({ a: 1 }))
      expect(run({}, {}, {}, action)).toEqual(mapped({}))
    },
  )

  it.each([[[1, 2]], ['text'], [7], [false]])('an app cannot run with %j', (payload) => {
    expect(run({}, { a: 1 }, payload)).toEqual({ ok: false, detail: expect.stringContaining('not a JSON object') })
  })

  it.each([
    [{ text: 'hi', message: 'no' }, 'hi'],
    [{ message: 'hi' }, 'hi'],
    [{ text: 5, message: 'hi' }, 'hi'],
    [{ a: 1 }, '{"a":1}'],
    [[1, 2], '[1,2]'],
    ['just text', 'just text'],
  ])('an agent receives %j as %j', (payload, text) => {
    expect(run({}, {}, payload, 'run_agent')).toEqual(mapped({ text }))
  })

  it('an agent receives the input if the payload is empty', () => {
    expect(run({}, { text: 'good morning' }, {}, 'run_agent')).toEqual(mapped({ text: 'good morning' }))
  })
})

describe('a scheduled fire', () => {
  const tick = { scheduled_at: '2026-05-01T09:00:00Z', trigger_id: 't1' }
  const fire = (input: Record<string, unknown>, mapping: InputMapping = {}, action: TriggerAction = 'run_app') =>
    mapInput({ action, input, mapping, payload: tick, isTick: true })

  it('runs with the input of the trigger, because it has no body', () => {
    expect(fire({ a: 1 })).toEqual(mapped({ a: 1 }))
    expect(fire({ text: 'good morning' }, {}, 'run_agent')).toEqual(mapped({ text: 'good morning' }))
  })

  it('runs with its own payload if the trigger has no input', () => {
    expect(fire({})).toEqual(mapped(tick))
  })

  it('can be mapped', () => {
    expect(fire({ a: 1 }, { input: { at: '{{scheduled_at}}' } })).toEqual(mapped({ a: 1, at: '2026-05-01T09:00:00Z' }))
  })
})

describe('findMappingFault', () => {
  it.each([
    ['run_app', {}],
    ['run_app', { input: {} }],
    ['run_app', { input: { a: 1, b: '{{x}}', c: from('x'), d: [from('')], e: { f: from('y') } } }],
    ['run_flow', { input: {}, node_1: { a: from('x') } }],
    ['run_agent', { input: {}, context: { a: 'b' } }],
  ] as const)('%s accepts %j', (action, mapping) => {
    expect(findMappingFault(mapping, action)).toBeNull()
  })

  const elsewhere = { connection: { nodeId: 'node_1', key: 'x', type: '' } }

  it.each([
    ['run_app', { context: {} }, 'input_mapping.context'],
    ['run_app', { node_1: {} }, 'input_mapping.node_1'],
    ['run_agent', { node_1: {} }, 'input_mapping.node_1'],
    ['run_app', { input: 'x' }, 'input_mapping.input'],
    ['run_app', { input: ['x'] }, 'input_mapping.input'],
    ['run_flow', { node_1: null }, 'input_mapping.node_1'],
    ['run_app', { input: { a: elsewhere } }, 'input_mapping.input.a'],
    ['run_app', { input: { a: { b: [elsewhere] } } }, 'input_mapping.input.a.b.0'],
    ['run_app', { input: { a: { connection: null } } }, 'input_mapping.input.a'],
    ['run_app', { input: { a: { connection: { nodeId: 'trigger' } } } }, 'input_mapping.input.a'],
  ] as const)('%s refuses %j', (action, mapping, field) => {
    expect(findMappingFault(mapping, action)).toEqual({ field, detail: expect.stringContaining(field) })
  })
})
