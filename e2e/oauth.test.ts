// Guarantees: on a running installation the published client connects a service through a real OAuth server; an app
// that needs the connection runs with its token and not without; the server renews tokens; and neither tokens nor the
// app's secret appear in plain text on disk, in the server's output or in any reply.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from './sdk/deploy.ts'
import { type Guest, startGuest } from './sdk/guest.ts'
import { needleSearch } from './support/needles.ts'
import { type OauthServer, signInAt, startOauthServer } from './support/oauth-server.ts'

const slug = 'mill-crm'

// Returns a digest: the token must not appear in the output of a task.
const code = `import { createHash } from 'node:crypto'
export class App {
  run() {
    return { digest: createHash('sha256').update(process.env.MILL_CRM_ACCESS_TOKEN ?? '').digest('hex') }
  }
}`

type Connected = { integration: { id: string; status: string; scopes: string[] }; auth_url?: string; state?: string }

describe('a service connected through OAuth', () => {
  let guest: Guest
  let oauth: OauthServer
  /** All replies of the server in this test. */
  const answers: string[] = []

  beforeAll(async () => {
    // Shorter than the renewal lead time, so the next sweep renews at once.
    oauth = await startOauthServer(slug, 240)
    guest = await startGuest({ env: { LOG_LEVEL: 'trace' } })
  })
  afterAll(async () => {
    await guest?.remove()
    await oauth?.close()
  })

  const call = async (route: string, body?: unknown) => {
    const answer = await guest.call(route, body)
    answers.push(JSON.stringify(answer.body))
    return answer
  }
  const digests = () => [...oauth.tokens].map((token) => createHash('sha256').update(token).digest('hex'))

  it('from registration to the run, the renewal and the end', async () => {
    const made = await call('POST /auth-providers', {
      slug,
      display_name: 'Mill CRM',
      ...oauth.client,
      specs: [
        {
          kind: 'oauth2',
          authorization_endpoint: `${oauth.address}/auth`,
          token_endpoint: `${oauth.address}/token`,
          revocation_endpoint: `${oauth.address}/token/revocation`,
          userinfo_url: `${oauth.address}/me`,
          scopes: ['openid', 'read'],
        },
      ],
    })
    expect(made.status, JSON.stringify(made.body)).toBe(200)

    const app = await deploy(guest.client, {
      name: 'needs-crm',
      files: { 'inference.js': code },
      version: { required_integrations: [{ key: slug, scopes: ['read'] }] },
    })
    const refusedRun = await guest.client.run({ app: app.ref, input: {} }).catch((error: unknown) => error)
    expect(refusedRun).toMatchObject({
      statusCode: 412,
      errors: [{ type: 'integration', key: slug, action: { type: 'connect', provider: slug } }],
    })

    const begun = (await guest.person.integrations.connect({ provider: slug, type: 'oauth' })) as unknown as {
      data: Connected
    }
    expect(begun.data.integration.status).toBe('pending')
    const returned = await signInAt(begun.data.auth_url ?? '')
    const done = await call('POST /credentials/oauth/complete', { provider: slug, type: 'oauth', ...returned })
    expect(done.body.data, JSON.stringify(done.body)).toMatchObject({
      integration: { status: 'connected', scopes: ['openid', 'read'], account_identifier: 'ada' },
    })
    const again = await call('POST /credentials/oauth/complete', { provider: slug, type: 'oauth', ...returned })
    expect(again.status).toBe(400)

    // The token is about to expire: it is renewed before the run, or was by the sweep.
    const task = (await guest.client.run({ app: app.ref, input: {} })) as { output: { digest: string } }
    expect(digests()).toContain(task.output.digest)
    expect(oauth.grants).toContain('refresh_token')

    const got = (await guest.client.integrations.get(slug)) as unknown as { data: Connected['integration'] }
    expect(got.data.status).toBe('connected')
    for (const route of [
      'GET /credentials',
      'GET /credentials/configs',
      'GET /auth-providers',
      'GET /audit-log',
      'GET /secrets',
    ])
      expect((await call(route)).status).toBe(200)
    await guest.client.integrations.disconnect(slug)
    expect((await call(`GET /credentials/${slug}`)).status).toBe(404)
    const ended = await guest.client.run({ app: app.ref, input: {} }).catch((error: unknown) => error)
    expect(ended).toMatchObject({ statusCode: 412 })
  })

  it('leaves no token and no secret in plain text', async () => {
    const needles = new Map([...oauth.tokens].map((token, index) => [`token ${index}`, token]))
    needles.set('the client secret', oauth.client.client_secret)
    expect(needles.size).toBeGreaterThanOrEqual(5)
    const { find } = needleSearch(needles)
    const hits: string[] = []
    const look = (where: string, bytes: Buffer) => {
      for (const { label, form } of find(bytes)) hits.push(`${label} (${form}) in ${where}`)
    }
    for (const text of answers) look('an answer', Buffer.from(text))
    await guest.server.stop()
    look('the output', Buffer.from(guest.server.output()))
    let bytesSearched = 0
    const entries = await readdir(guest.server.dataDir, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name)
      const bytes = await readFile(path)
      bytesSearched += bytes.length
      look(path, bytes)
    }
    expect(hits).toEqual([])
    expect(bytesSearched).toBeGreaterThan(16 * 1024 * 1024)
  })
})
