// Guarantees: the shipped deployment files are valid, use only existing settings, and give several servers everything
// that they must share.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { blobSettingsOf } from '#platform/blobs/open-blob-store.ts'
import { readSettings, settingTable } from '#platform/settings/settings.ts'

const file = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../deploy/${name}`, import.meta.url)), 'utf8')

const examples: Record<string, string> = {
  BASE_URL: 'https://millrace.example.com',
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
}

/** Replaces `${NAME:?why}` and `${NAME:-default}` as an operator would. */
const filled = (text: string): string =>
  text.replace(/\$\{(\w+)(?::[?-]([^}]*))?\}/g, (_, name: string) => examples[name] ?? 'filled-in')

const suffices = (env: Record<string, string>): void => {
  expect(Object.keys(env).filter((name) => !Object.hasOwn(settingTable, name))).toEqual([])
  const settings = readSettings(env)
  expect(settings.DATABASE_URL).toBeDefined()
  expect(settings.MASTER_KEY).toBeDefined()
  expect(settings.NATS_URL).toBeDefined()
  expect(blobSettingsOf(settings).s3).toBeDefined()
}

it('compose: two servers with shared settings and their dependencies', () => {
  const { services } = parse(file('compose.yaml'), { merge: true })
  expect(Object.keys(services)).toEqual(
    expect.arrayContaining(['server-1', 'server-2', 'balancer', 'postgres', 'nats', 'store', 'engine']),
  )
  for (const name of ['server-1', 'server-2']) {
    const given: Record<string, string> = services[name].environment
    suffices(Object.fromEntries(Object.entries(given).map(([key, value]) => [key, filled(value)])))
  }
  for (const { depends_on: needed = [] } of Object.values<{ depends_on?: object }>(services))
    for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) expect(services[name]).toBeDefined()
  expect(file('Caddyfile')).toContain('health_uri /readyz')
})

it('kubernetes: objects with required fields and sufficient settings', () => {
  const objects = ['millrace.yaml', 'nats.yaml'].flatMap((name) =>
    parseAllDocuments(file(`kubernetes/${name}`)).map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS()
    }),
  )
  for (const object of objects) {
    expect(object).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) })
    expect(object.metadata.name).toMatch(/^[a-z0-9-]+$/)
    if (!object.spec?.template) continue
    expect(object.spec.template.metadata.labels).toMatchObject(object.spec.selector.matchLabels)
  }
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap')
  const deployment = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'millrace')
  expect(deployment.spec.replicas).toBe(2)
  // The content of the secret, according to the comment with its command.
  const secret = [...file('kubernetes/millrace.yaml').matchAll(/--from-literal=([A-Z0-9_]+)=/g)].map(
    ([, name = '']) => name,
  )
  const values = secret.filter((name) => name !== 'ENGINE_KEY').map((name) => [name, examples[name] ?? 'x'])
  suffices({ ...data, ...Object.fromEntries(values), DATABASE_URL: 'postgres://millrace:x@postgres/millrace' })
  const [server] = deployment.spec.template.spec.containers
  expect(server.readinessProbe.httpGet.path).toBe('/readyz')
  expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(data.DRAIN_SECONDS))
})
