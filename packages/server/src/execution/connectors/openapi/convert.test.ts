// Guarantees: an OpenAPI document becomes functions whose schemas compile, within the limits of an app; a hostile document
// is refused with a reason within its limits of time and memory.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readVersion } from '../../apps/version-input.ts'
import { type Converted, type ConvertOptions, convertDocument } from './convert.ts'
import { convertOnThread } from './thread.ts'

const convert = (document: unknown, options: Partial<ConvertOptions> = {}): Converted =>
  convertDocument(typeof document === 'string' ? document : JSON.stringify(document), { app: 'pets', ...options })

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })

const pets = {
  openapi: '3.0.3',
  info: { title: 'Pets', description: 'Animals' },
  servers: [{ url: 'https://{region}.pets.example/v1/', variables: { region: { default: 'eu' } } }],
  security: [{ key: [] }],
  paths: {
    '/pets/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: { operationId: 'getPet', summary: 'Get a pet', tags: ['pets'], security: [] },
      put: {
        operationId: 'setup',
        tags: ['pets'],
        parameters: [
          { name: 'id', in: 'query', schema: { type: 'boolean' } },
          { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: { required: true, ...json({ $ref: '#/components/schemas/Pet' }) },
      },
    },
    '/photos': {
      post: {
        tags: ['photos'],
        security: [{ unknown: [] }, { user: [], key: [] }],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { photo: { type: 'string', format: 'binary' } } },
            },
          },
        },
      },
      get: { operationId: 'getPet', tags: ['photos'], security: [{ unknown: [] }] },
    },
  },
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name', 'id'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', nullable: true, pattern: '(a+)+$' },
          friends: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
          kind: { type: 'file', enum: ['cat', 'dog'] },
        },
      },
    },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'From the settings' },
      user: { type: 'http', scheme: 'basic' },
      unknown: { type: 'mutualTLS' },
    },
  },
}

const missing = 'Not described here: see the documentation of the service'

describe('an ordinary document', () => {
  it('becomes functions with parameters, bodies, secrets and hosts', () => {
    const { functions, calls, ...rest } = convert(pets)
    expect(Object.keys(functions)).toEqual(['getPet', 'call_setup', 'post_photos'])
    expect(functions.getPet).toMatchObject({
      description: 'Get a pet',
      input_schema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    })
    expect(functions.call_setup?.input_schema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        query_id: { type: 'boolean' },
        body: {
          type: 'object',
          properties: {
            name: { type: ['string', 'null'] },
            friends: { type: 'array', items: { description: missing } },
            kind: { enum: ['cat', 'dog'] },
          },
          required: ['name'],
        },
      },
      required: ['id', 'body'],
    })
    expect(functions.post_photos?.input_schema).toMatchObject({
      properties: { body: { properties: { photo: { type: 'string', format: 'file' } } } },
    })
    expect(calls.call_setup).toMatchObject({
      method: 'PUT',
      server: 'https://eu.pets.example/v1',
      path: '/pets/{id}',
      auth: [{ kind: 'key', in: 'header', name: 'X-Key', env: ['PETS_KEY'] }],
    })
    expect(calls.getPet?.auth).toEqual([])
    expect(rest).toEqual({
      title: 'Pets',
      description: 'Animals',
      provider: null,
      hosts: ['eu.pets.example'],
      secrets: [
        { key: 'PETS_KEY', description: 'From the settings', optional: true },
        { key: 'PETS_USER_USERNAME', description: 'user of the service', optional: true },
        { key: 'PETS_USER_PASSWORD', description: 'user of the service', optional: true },
      ],
      skipped: [{ operation: 'GET /photos', reason: 'needs a sign-in that is not supported' }],
    })
  })

  it('can be chosen from by tag and name, with another server', () => {
    const { calls } = convert(pets, {
      tags: ['photos'],
      operations: ['GET /pets/{id}'],
      server_url: 'http://here:1/x/',
    })
    expect(Object.keys(calls)).toEqual(['getPet', 'post_photos'])
    expect(calls.getPet?.server).toBe('http://here:1/x')
  })

  it('of version 2.0 and in YAML is converted too; a connection can supply the token', () => {
    const old = `swagger: '2.0'
info: {title: Old}
host: api.old.example
basePath: /v2
schemes: [https]
securityDefinitions: {login: {type: oauth2, flow: implicit, authorizationUrl: 'https://x.example', scopes: {}}}
security: [{login: []}]
paths:
  /things:
    post:
      parameters:
        - {name: thing, in: body, required: true, schema: {type: object, properties: {name: {type: string}}}}
`
    const converted = convert(old, { provider: 'old-service' })
    expect(converted.calls.post_things).toMatchObject({
      server: 'https://api.old.example/v2',
      body: { type: 'application/json' },
      auth: [{ kind: 'bearer', env: ['OLD_SERVICE_ACCESS_TOKEN'] }],
    })
    expect(converted.functions.post_things?.input_schema).toMatchObject({
      properties: { body: { type: 'object', properties: { name: { type: 'string' } } } },
    })
    expect(converted).toMatchObject({ provider: 'old-service', secrets: [] })
  })

  it.each([
    ['', /not an OpenAPI description/],
    ['{', /cannot be read/],
    [{ openapi: '4.0.0', paths: {} }, /version 2 or 3/],
    [{ openapi: '3.1.0' }, /no `paths`/],
    [{ ...pets, servers: [{ url: '/v1' }] }, /pass its address as `server_url`/],
    [{ ...pets, servers: [{ url: 'https://me:word@pets.example' }] }, /user name or a password/],
    [{ ...pets, paths: {} }, /no operations/],
  ])('%# is refused with a reason', (document, reason) => {
    expect(() => convert(document)).toThrow(reason)
  })

  it('refuses unknown names and more than 200 operations, and names the tags', () => {
    expect(() => convert(pets, { tags: ['cats'] })).toThrow('no tag "cats"')
    expect(() => convert(pets, { operations: ['GET /cats'] })).toThrow('no operation "GET /cats"')
    const paths = Object.fromEntries(
      Array.from({ length: 201 }, (_, index) => [`/p${index}`, { get: { tags: ['all'] } }]),
    )
    expect(() => convert({ ...pets, paths })).toThrow(/201 of these operations; choose at most 200 .* all \(201\)/)
  })
})

describe('the description of this server', () => {
  it('becomes an app within the limits of a version', async () => {
    const document = await readFile(new URL('../../../../../../docs/openapi.json', import.meta.url), 'utf8')
    const converted = convert(document, {
      tags: ['apps', 'tasks', 'chats', 'flows'],
      server_url: 'https://mill.example',
    })
    const { version } = readVersion({ kernel: 'node-22', functions: converted.functions }, null)
    expect(Object.keys(version.functions).length).toBeGreaterThan(60)
    expect(converted.calls.tasks_list_post_tasks).toMatchObject({ method: 'POST', path: '/tasks/list' })
  })
})

describe('a hostile document', () => {
  const withSchemas = (schemas: Record<string, unknown>) => ({
    ...pets,
    paths: { '/a': { post: { requestBody: json({ $ref: '#/components/schemas/S0' }) } } },
    components: { schemas },
    security: [],
  })
  const inputOf = (document: unknown): string => JSON.stringify(convert(document).functions.post_a?.input_schema)

  it('with references in circles and to other places ends', () => {
    const parts = { S0: { $ref: '#/components/schemas/S1' }, S1: { $ref: '#/components/schemas/S0' } }
    expect(inputOf(withSchemas(parts))).toContain('"body":{}')
    for (const $ref of ['https://elsewhere.example/x.json', 'file:///etc/passwd', '#/__proto__', '#/constructor'])
      expect(inputOf(withSchemas({ S0: { $ref } }))).toContain('"body":{}')
  })

  it('that expands to 100 MB of references stays small', () => {
    const fields = (next: string) =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [`f${index}`, { $ref: `#/components/schemas/${next}` }]),
      )
    const levels = Array.from({ length: 12 }, (_, level) => [
      `S${level}`,
      { type: 'object', properties: fields(`S${level + 1}`) },
    ])
    expect(inputOf(withSchemas(Object.fromEntries(levels))).length).toBeLessThan(100_000)
  })

  it('that takes too much time or memory, or is nested too deeply, is refused with a reason', async () => {
    const deep = `${'{"openapi":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const deepYaml = `a: ${'['.repeat(50_000)}`
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'.split('').map((name, index) => {
        const before = 'abcdefghi'[index]
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`
      }),
    ].join('\n')
    for (const text of [deep, deepYaml, bomb])
      expect(await convertOnThread({ text, options: { app: 'x' } })).toEqual({
        problem: expect.stringMatching(/document/i),
      })
    const large = JSON.stringify({
      ...pets,
      junk: Array.from({ length: 400_000 }, (_, index) => ({ [`n${index}`]: [] })),
    })
    const answer = await convertOnThread({ text: large, options: { app: 'x' } }, { timeoutMs: 60_000, heapMiB: 16 })
    expect(answer).toEqual({ problem: expect.stringContaining('too much time or memory') })
  })
})
