// Guarantees: published vulnerabilities of comparable platforms do not work here. Every attempt is made with the access
// that the original attack needed: a stranger, a member of another workspace, a plain member, an author.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatWith } from '#agents/chats/testing/given.ts'
import { givenFlow } from '#automation/flows/testing/given.ts'
import { givenTrigger } from '#automation/triggers/testing/given.ts'
import { givenSecret } from '#connections/secrets/testing/given.ts'
import { givenArtifact, show as showArtifact } from '#content/artifacts/testing/given.ts'
import { stored } from '#content/files/testing/given.ts'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { evaluateCel } from '#platform/cel/cel.ts'
import type { Answer, As, CallOptions, World } from '../testing/world.ts'
import { createWorld } from '../testing/world.ts'

let world: World
let origin: string
/** An internal service that no request on a user's behalf may reach. */
let house: Server
let houseUrl: string
let knocks = 0

beforeAll(async () => {
  world = await createWorld({ settings: { HOST: '0.0.0.0', BASE_URL: 'https://mill.example.com' } })
  origin = await world.listen()
  house = createServer((_request, response) => {
    knocks += 1
    response.end('the inner service')
  })
  await new Promise<void>((resolve) => house.listen(0, '127.0.0.1', resolve))
  houseUrl = `http://127.0.0.1:${(house.address() as AddressInfo).port}/`
})
afterAll(async () => {
  await world?.close()
  house?.close()
})

const call = (as: As, route: string, options?: CallOptions): Promise<Answer> => world.call(as, route, options)
const refused = ({ status, text }: Answer, ...statuses: number[]) => expect(statuses, text).toContain(status)

/** Sends a raw request, because HTTP clients normalize the path. */
const raw = (path: string, headers: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname, () => {
      const lines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      )
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    })
    let answer = ''
    socket.setTimeout(60_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })

describe('files of the host', () => {
  const ways = [
    '/console/../../../../etc/passwd',
    '/console/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/console/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '/console/..%5c..%5c..%5cetc%5cpasswd',
    '/console/assets/..%252f..%252f..%252fetc%252fpasswd',
    '/media/..%2f..%2f..%2f..%2fetc/passwd',
    '/media/x/..%2f..%2f..%2fmaster.key',
    '//etc/passwd',
    '/docs/../../../../etc/passwd',
    '/console/index.html%00.png',
  ]
  it.each(ways)('a path traversal (log and asset routes of several products): %s', async (path) => {
    const answer = await raw(path)
    // 503: the console is not built; otherwise it responds with its page.
    expect(answer).toMatch(/^HTTP\/1\.1 (?:[34]\d\d|503|200 [\s\S]*<div id="root">)/)
    expect(answer).not.toMatch(/root:|BEGIN|"keys"/)
  })

  it('an upload with a path traversal in its name or folder stays in the store (Flowise, CVE-2025-26319)', async () => {
    refused(
      await call('owner', 'POST /files', { body: { files: [{ uri: '', filename: 'x', path: '../../evil' }] } }),
      400,
    )
    const file = await stored(world, 'owner', 'mine', { filename: '../../../../tmp/evil.txt' })
    expect(file.filename).not.toContain('..')
    expect(new URL(file.uri).pathname).not.toContain('..')
  })

  it('a webhook that claims to contain uploaded files cannot pass a path (n8n, CVE-2026-21858)', async () => {
    const trigger = await givenTrigger(world)
    const body = { files: { a: { filepath: '/etc/passwd', originalFilename: 'x', mimetype: 'text/plain', size: 10 } } }
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
      const answer = await call(null, `POST /triggers/${trigger.id}/hook`, {
        body: JSON.stringify(body),
        headers: { 'content-type': type },
      })
      expect(answer.text).not.toContain('root:')
    }
  })

  it.each(['file:///etc/passwd', '/etc/passwd', 'file://localhost/etc/passwd'])(
    'a server file named in an input is not read (Flowise, Langflow): %s',
    async (uri) => {
      const app = await givenApp(world, {
        functions: {
          run: { input_schema: { type: 'object', properties: { doc: { type: 'string', format: 'file' } } } },
        },
      })
      const answer = await call('owner', 'POST /run', { body: { app_id: app.id, input: { doc: uri } } })
      expect(answer.text).not.toContain('root:')
    },
  )
})

describe('code of callers', () => {
  const escapes = [
    "this.constructor.constructor('return process')()",
    "(function(){ return process.mainModule.require('child_process').execSync('id') })()",
    'input.__proto__.polluted',
    "''.constructor.constructor('return 1')()",
    '{{ $.constructor }}',
    "__import__('os').system('id')",
  ]
  it.each(escapes)('an expression cannot run code (n8n, CVE-2025-68613): %s', (expression) => {
    const result = evaluateCel(expression, { input: { text: 'x' } })
    expect(result).toHaveProperty('error')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it.each([
    '/validate/code',
    '/api/v1/validate/code',
    '/custom_component',
    '/node-custom-function',
    '/api/v1/node-load-method/customMCP',
  ])('no route runs code from the request (Langflow, CVE-2025-3248; Flowise, CVE-2025-59528): %s', async (path) =>
    refused(await call(null, `POST ${path}`, { body: { code: '@exec("import os")\ndef f(): pass' } }), 401, 404),
  )

  it('an MCP server is a URL, never a command (Flowise, CVE-2025-8943)', async () => {
    const answer = await call('owner', 'POST /mcp-servers', {
      body: { name: 'evil', transport: 'stdio', command: 'sh', args: ['-c', 'id'], url: 'stdio://sh' },
    })
    refused(answer, 400, 422)
  })

  it.each([
    { __proto__: { polluted: 1 } },
    JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
  ])('a body cannot change what every object is made of', async (input) => {
    const app = await givenApp(world)
    await call('owner', 'POST /run', { body: { app_id: app.id, input } })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('access control', () => {
  it.each([
    '/API/secrets',
    '/Secrets',
    '/SECRETS',
    '/secrets/',
    '//secrets',
    '/./secrets',
    '/secrets%2f',
    '/secrets;x=1',
    '/secrets?.css',
  ])('another spelling of a path opens nothing (Flowise, CVE-2024-31621): %s', async (path) =>
    expect(await raw(path)).toMatch(/^HTTP\/1\.1 (30\d|40[0134])/),
  )

  it.each<Record<string, string>>([
    { 'x-request-from': 'internal' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-original-url': '/healthz' },
    { 'x-rewrite-url': '/healthz' },
    { 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'https' },
    { 'x-user-id': 'admin', 'x-team-id': 'admin' },
    { authorization: 'Bearer undefined' },
    { authorization: 'Bearer null' },
    { authorization: 'Bearer ' },
    { cookie: 'session=; token=null' },
  ])('no header makes a stranger somebody (Flowise): %o', async (headers) => {
    refused(await call(null, 'GET /secrets', { headers }), 400, 401)
  })

  it('the run of another workspace cannot be stopped, deleted or read (n8n, CVE-2025-52554)', async () => {
    const { id } = await run(world, await givenApp(world))
    for (const route of [
      `POST /tasks/${id}/cancel`,
      `DELETE /tasks/${id}`,
      `GET /tasks/${id}`,
      `GET /tasks/${id}/logs`,
    ])
      refused(await call('stranger', route), 403, 404)
  })

  it.each(['GET /chats/:id', 'GET /chats/:id/messages', 'GET /chats/:id/trace', 'DELETE /chats/:id'])(
    'chats of others cannot be read (Dify, CVE-2025-59422; Langflow): %s',
    async (route) => {
      const id = await chatWith(world, {}, 'member')
      for (const as of ['stranger', null] as const) refused(await call(as, route.replace(':id', id)), 401, 403, 404)
    },
  )

  it('a member cannot become an admin (n8n, CVE-2023-27563)', async () => {
    const { userId } = world.people.member
    refused(
      await call('member', `POST /teams/${world.team.id}/members/${userId}/role`, { body: { role: 'admin' } }),
      403,
    )
    await call('member', 'POST /users/me', { body: { role: 'admin', elevated: true, is_admin: true } })
    refused(await call('member', `DELETE /teams/${world.team.id}/members/${world.people.admin.userId}`), 403)
  })

  it('a restricted key cannot create a wider key or read secrets (Windmill; Dify)', async () => {
    const { key } = await givenSecret(world)
    refused(await call('key:apps:read', 'POST /apikeys', { body: { name: 'wide', scopes: [] } }), 403)
    refused(await call('key:apps:read', `GET /secrets/reveal/${key}`), 403)
    refused(await call('member', `GET /secrets/reveal/${key}`), 403, 404)
  })

  it.each(['owner', 'platform'] as const)('fields set by the server are ignored in a body, as %s', async (as) => {
    const flow = await givenFlow(world, 'owner')
    await call(as, `POST /flows/${flow.id}`, {
      body: { team_id: world.otherTeam.id, user_id: world.people.stranger.userId },
    })
    refused(await call('stranger', `GET /flows/${flow.id}`), 403, 404)
  })
})

describe('sign-in', () => {
  it('the response to a link request contains no token and does not reveal accounts (Flowise, CVE-2025-58434)', async () => {
    const [known, unknown] = await Promise.all(
      ['owner@example.com', 'nobody-here@example.com'].map((email) =>
        call(null, 'POST /auth/magic-link/send', { body: { email } }),
      ),
    )
    expect(known?.status).toBe(unknown?.status)
    expect(Object.keys(known?.data ?? {})).toEqual(Object.keys(unknown?.data ?? {}))
    expect(known?.text).not.toMatch(/token|user_id|owner@/)
  })

  it('the number of attempts for a code is limited (Dify, CVE-2024-12039)', async () => {
    const answers: number[] = []
    for (let n = 0; n < 12; n += 1) {
      const body = { email: 'owner@example.com', code: String(100_000 + n) }
      answers.push((await call(null, 'POST /auth/otp/verify', { body })).status)
    }
    expect(answers).not.toContain(200)
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/%09/evil.example'])(
    'signing in never redirects to another site (n8n, CVE-2025-49592): %s',
    async (next) => {
      const path = `/sign-in?next=${encodeURIComponent(next)}&redirect=${encodeURIComponent(next)}`
      const answer = await raw(path, { accept: 'text/html' })
      expect(answer).not.toMatch(/^location: *(https?:)?[/\\]{2}evil|^location: *javascript:/im)
      expect(answer).not.toMatch(/href="(https?:)?\/\/evil|href="javascript:/)
    },
  )

  it('another site cannot make requests with a person’s cookie (Langflow, CVE-2025-34291)', async () => {
    const answer = await call('browser:owner', 'GET /auth/me', { headers: { origin: 'https://evil.example' } })
    expect(answer.headers['access-control-allow-credentials']).not.toBe('true')
    const write = await call('browser:owner', 'POST /secrets', {
      headers: { origin: 'https://evil.example' },
      body: { key: 'STOLEN', value: 'x' },
    })
    refused(write, 401, 403)
  })

  it('pages cannot be framed by other sites (Dify, CVE-2025-43854)', async () => {
    for (const route of ['GET /sign-in', 'GET /console', 'GET /docs']) {
      const { headers } = await call(null, route, { headers: { accept: 'text/html' } })
      expect(`${headers['content-security-policy']} ${headers['x-frame-options']}`, route).toMatch(
        /frame-ancestors 'none'|DENY/,
      )
    }
  })
})

describe('user content in a browser', () => {
  const script = '<script>fetch("/secrets")</script>'
  it.each([
    ['page.html', 'text/html', script],
    ['picture.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
    ['page.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
    ['doc.xml', 'text/xml', '<?xml-stylesheet href="evil.xsl"?><a/>'],
    ['code.js', 'text/javascript', 'alert(1)'],
  ])(
    'an uploaded %s cannot run on our origin (n8n, CVE-2025-46343; Dify, CVE-2024-11850)',
    async (filename, type, text) => {
      const file = await stored(world, 'owner', text, { filename, content_type: type })
      const { pathname, search } = new URL(file.uri)
      const { headers, status } = await call(null, `GET ${pathname}${search}`)
      expect(status).toBe(200)
      const harmless =
        /sandbox/.test(String(headers['content-security-policy'])) ||
        /^attachment/.test(String(headers['content-disposition']))
      expect(harmless, JSON.stringify(headers)).toBe(true)
      expect(headers['x-content-type-options']).toBe('nosniff')
    },
  )

  it('an artifact runs in a sandbox without our origin (n8n, CVE-2025-52478)', async () => {
    const artifact = await showArtifact(
      world,
      'owner',
      await givenArtifact(world, 'owner', { content: script }),
      'public',
    )
    const { headers } = await call(null, `GET /artifacts/${artifact.id}/render`)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain('sandbox')
    expect(policy).not.toContain('allow-same-origin')
  })

  it.each([
    `/tasks/${encodeURIComponent(script)}`,
    `/no/${encodeURIComponent(script)}`,
    `/invite/${encodeURIComponent(script)}`,
  ])('a page about a problem does not repeat what was asked (Flowise, CVE-2024-36422): %s', async (path) => {
    for (const accept of ['text/html', 'application/json']) {
      const answer = await raw(path, { accept })
      if (/content-type: text\/html/i.test(answer)) expect(answer).not.toContain('<script>fetch')
    }
  })

  it('the sign-in address of an MCP server must be a web address (Dify, CVE-2025-58747)', async () => {
    const answer = await call('owner', 'POST /mcp-servers', { body: { name: 'js', url: 'javascript:alert(1)' } })
    refused(answer, 400, 422)
  })
})

describe('requests on behalf of callers', () => {
  it('a webhook for a finished run (Dify, CVE-2024-11822)', async () => {
    const app = await givenApp(world)
    for (const webhook of [
      houseUrl,
      'http://169.254.169.254/latest/meta-data/',
      'http://[::ffff:127.0.0.1]/',
      'gopher://127.0.0.1/',
    ])
      refused(await call('owner', 'POST /run', { body: { app_id: app.id, input: {}, webhook } }), 400, 422)
  })

  it('a tool server (Langflow; Flowise, CVE-2025-59527)', async () => {
    for (const url of [
      houseUrl,
      'http://2130706433/',
      'http://0x7f.1/',
      'http://localhost:5432/',
      'http://metadata.google.internal/',
    ])
      refused(await call('owner', 'POST /mcp-servers', { body: { name: 'inner', url } }), 400, 422, 502)
  })

  it('a file that is fetched (Dify, CVE-2025-0184)', async () => {
    const answer = await call('owner', 'POST /files', { body: { files: [{ uri: houseUrl }] } })
    expect(answer.text).not.toContain('the inner service')
  })

  it('the internal service was never reached', () => expect(knocks).toBe(0))
})

describe('unauthenticated requests', () => {
  it.each([
    'GET /chats/messages',
    'GET /secrets',
    'GET /teams',
    'GET /apikeys',
    'GET /audit-log',
    'GET /monitor/messages',
    'GET /billing',
    'GET /events',
    'POST /mcp',
  ])('%s needs somebody (Langflow, CVE-2026-21445; Dify, CVE-2025-63387)', async (route) => {
    refused(await call(null, route, route.startsWith('POST') ? { body: {} } : {}), 401, 403, 404)
  })

  it('an empty or unusual file URL causes no error (n8n, CVE-2025-49595)', async () => {
    for (const path of ['/media//', '/media/x/', '/files/', '/files/%20', '/files/filesystem-v2:', '/uploads/'])
      expect(await raw(path)).toMatch(/^HTTP\/1\.1 [234]\d\d/)
    expect((await call(null, 'GET /healthz')).status).toBe(200)
  })

  it('the server reveals no unnecessary information about itself', async () => {
    const { headers, text } = await call(null, 'GET /no-such-route')
    expect(headers['x-powered-by']).toBeUndefined()
    expect(text).not.toMatch(/node_modules|\bat \w+ \(|\.ts:\d/)
  })
})
