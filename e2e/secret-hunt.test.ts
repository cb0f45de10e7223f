// Guarantees: a secret value never appears in plain text: not in the database's files or its write-ahead log, not in
// the server's output, and in no reply except the one that reveals it.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, inParallel } from './support/client.ts'
import { needleSearch } from './support/needles.ts'
import { millrace, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const secretCount = 1000

/** Random and long enough to be unique, with characters that each encoding changes. */
const randomValue = (): string => `${randomBytes(18).toString('base64')} "/+%ü`

describe('the search itself', () => {
  const text = 'k9/+2"Qz 8äW%x1Lm4Rt7'
  const search = needleSearch(new Map([['it', text]]))
  it.each([
    ['plain', text],
    ['json', JSON.stringify({ a: text })],
    ['url', `x=${encodeURIComponent(text)}&y`],
    ['form', new URLSearchParams({ a: text }).toString()],
    ['hex', Buffer.from(text).toString('hex')],
    ['HEX', Buffer.from(text).toString('hex').toUpperCase()],
    ['base64', Buffer.from(text).toString('base64')],
    ['base64', Buffer.from(`1${text}2`).toString('base64')],
    ['base64', Buffer.from(`12${text}34`).toString('base64')],
    ['base64url', Buffer.from(`12${text}`).toString('base64url')],
    ['utf16', Buffer.from(text, 'utf16le')],
  ])('finds the %s form', (form, haystack) => {
    const bytes = Buffer.concat([randomBytes(500), Buffer.from(haystack as string), randomBytes(500)])
    expect(search.find(bytes).map((finding) => finding.form)).toContain(form)
  })

  it('finds nothing without needles', () => {
    expect(search.find(randomBytes(1_000_000))).toEqual([])
  })
})

describe('secrets in a running installation', () => {
  let server: ServerProcess
  let client: Client
  const values = new Map<string, string>()
  const give = (label: string): string => {
    const value = randomValue()
    values.set(label, value)
    return value
  }

  beforeAll(async () => {
    server = await startServer({ env: { LOG_LEVEL: 'trace', ENGINE: 'false' } })
    const { session_token, team_id } = await signIn(server.dataDir, 'hunter@example.com', 'hunters')
    client = createClient(server.url, { token: session_token, teamId: team_id })
  })
  afterAll(() => server?.remove())

  const filesOf = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  }

  it('appear only in the replies that reveal them', async () => {
    const keys = Array.from({ length: secretCount }, (_, index) => `HUNTED_${index}`)
    await inParallel(keys, 8, async (key) => {
      const provider = key.endsWith('7') ? { provider: 'openai', provider_website: 'x' } : {}
      const { status } = await client.call('POST /secrets', { key, value: give(key), ...provider })
      expect(status).toBe(200)
    })
    // Used in every way, including some that are rejected.
    await inParallel(keys.slice(0, 100), 8, async (key) => {
      await client.call(`PUT /secrets/${key}`, { value: give(`${key} replaced`) })
      await client.call(`PUT /secrets/${key}/provider`, { provider: 'anthropic' })
      await client.call('POST /secrets', { key, value: give(`${key} refused`) })
      await client.call('POST /secrets', { key: 'S3_X', value: give(`${key} reserved`) })
      await client.call(`PUT /secrets/${key}`, { value: give(`${key} too long`).padEnd(70_000, 'x') })
      const { data } = await client.call(`GET /secrets/${key}/versions`)
      const versionId = (data as { id: string }[])[1]?.id
      await client.call(`POST /secrets/${key}/restore`, { version_id: versionId })
    })
    await inParallel(keys.slice(100, 150), 8, async (key) => {
      const { data } = await client.call(`GET /secrets/reveal/${key}`)
      expect(data).toEqual({ key, value: values.get(key) })
    })
    await inParallel(keys.slice(150, 200), 8, async (key) => {
      expect((await client.call(`DELETE /secrets/${key}`)).status).toBe(200)
    })
    await client.call('POST /secrets/list', { limit: -1, preloads: ['user'] })
    await client.call('GET /vaults/default')
    await client.call('GET /audit-log')
    await client.call('GET /openapi.json')
    await millrace(server.dataDir, 'admin', 'rotate-data-key', '--team', 'hunters')
    await millrace(server.dataDir, 'admin', 'rotate-master-key')
    expect((await client.call('GET /secrets/reveal/HUNTED_0')).data).toMatchObject({ value: values.get('HUNTED_0') })

    const { find } = needleSearch(values)
    const hits: string[] = []
    const look = (where: string, bytes: Buffer) => {
      for (const { label, form } of find(bytes)) hits.push(`${label} (${form}) in ${where}`)
    }
    // The running server flushes its log and buffers as far as it can; stopping writes the rest.
    look('the output', Buffer.from(server.output()))
    const revealing = client.recorded.filter(({ route }) => route.startsWith('GET /secrets/reveal/'))
    for (const { route, text } of client.recorded)
      if (!route.startsWith('GET /secrets/reveal/')) look(route, Buffer.from(text))
    for (const path of await filesOf(server.dataDir)) look(path, await readFile(path).catch(() => Buffer.alloc(0)))
    await server.stop()
    look('the output after the stop', Buffer.from(server.output()))
    let bytesSearched = 0
    for (const path of await filesOf(server.dataDir)) {
      const bytes = await readFile(path)
      bytesSearched += bytes.length
      look(path, bytes)
    }
    expect(hits).toEqual([])
    // Proves that the search works: it finds the revealing replies and real database content.
    expect(revealing.flatMap(({ text }) => find(Buffer.from(text))).length).toBeGreaterThanOrEqual(51)
    expect(bytesSearched).toBeGreaterThan(16 * 1024 * 1024)
  })
})
