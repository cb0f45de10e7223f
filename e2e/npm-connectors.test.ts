// Guarantees: an MCP server from npm becomes an app on a real engine: its tools are read there, run there, and its packages
// are locked; install scripts do not run unless allowed; changed tools are shown before they are promoted.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Guest, startGuest } from './sdk/guest.ts'
import { type PackageRegistry, startRegistry } from './support/package-registry.ts'

let registry: PackageRegistry
let guest: Guest
beforeAll(async () => {
  registry = await startRegistry()
  guest = await startGuest({ env: { npm_config_registry: registry.url } })
  await guest.call('POST /secrets', { key: 'WEATHER_TOKEN', value: 't1' })
})
afterAll(async () => {
  registry?.close()
  await guest?.remove()
})

type Ran = { id: string; output: Record<string, unknown> }
const run = async (app: string, input: object = {}): Promise<Ran> =>
  (await guest.client.run({ app, input } as never)) as never

const failureOf = (ending: Promise<unknown>): Promise<string> =>
  ending.then(
    () => 'no failure',
    (error: unknown) => `${(error as Error).message} ${JSON.stringify(error)}`,
  )

type Made = { discovery: string; app: { version: { metadata: unknown } }; changes: object; staged: boolean }

const create = async (npm: object): Promise<Made> => {
  const { status, body } = await guest.call('POST /connectors', { npm: { package: '@acme/weather-mcp', ...npm } })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data as Made
}

const complete = (taskId: string, more: object = {}) =>
  guest.call('POST /connectors/complete', { task_id: taskId, ...more })

it('becomes an app with one function for each tool, kept warm in the sandbox', async () => {
  const { discovery } = await create({ secrets: ['WEATHER_TOKEN'], env: { UNIT: 'C' }, args: ['--data', '{data}'] })
  const found = await run(discovery)
  const { status, body } = await complete(found.id)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data).toMatchObject({
    functions: ['weather_now', 'fail'],
    changes: { added: ['weather_now', 'fail'], removed: [], changed: [] },
    staged: false,
    required_secrets: [{ key: 'WEATHER_TOKEN' }],
    app: {
      name: 'weather-mcp',
      version: {
        metadata: {
          connector: {
            kind: 'npm',
            license: 'MIT',
            source: { package: '@acme/weather-mcp', version: '1.0.0' },
            annotations: { weather_now: { readOnlyHint: true } },
          },
        },
        functions: {
          weather_now: {
            description: 'The weather',
            input_schema: {
              properties: { city: { type: 'string', description: 'Name of a city' } },
              required: ['city'],
            },
          },
        },
      },
    },
  })
  const { output } = await run('guests/weather-mcp:weather_now', { city: 'Rome' })
  expect(output).toMatchObject({ text: 'Rome 1', structured_content: { token: 't1', unit: 'C', scripts: false } })
  expect((output.structured_content as { args: string[] }).args[1]).toMatch(/data$/)
  expect((await run('guests/weather-mcp:weather_now', { city: 'Oslo' })).output.text).toBe('Oslo 2')
  expect(await failureOf(run('guests/weather-mcp:fail'))).toContain('no such city')
})

it('stages a version with other tools, and asks about a missing license', async () => {
  const { discovery } = await create({ version: '2.0.0', secrets: ['WEATHER_TOKEN'] })
  const found = await run(discovery)
  const unlicensed = await complete(found.id)
  expect(unlicensed.status).toBe(400)
  expect(String(unlicensed.body.detail)).toContain('states no license')
  const { body } = await complete(found.id, { accept_license: true })
  expect(body.data).toMatchObject({
    staged: true,
    changes: { added: ['photo'], removed: ['fail'], changed: ['weather_now'] },
  })
  expect((await run('guests/weather-mcp:weather_now', { city: 'Bern' })).output.text).toMatch(/^Bern/)
  const { id } = (body.data as { app: { version: { id: string } } }).app.version
  const { output } = await run(`guests/weather-mcp@${id}:photo`)
  expect(await (await fetch(String((output.files as string[])[0]))).text()).toBe('png')
})

it('runs install scripts only where they are allowed', async () => {
  const { discovery } = await create({ install_scripts: true })
  await complete((await run(discovery)).id, { promote: true })
  const { output } = await run('guests/weather-mcp:weather_now', { city: 'Rome' })
  expect(output.structured_content).toMatchObject({ scripts: true })
})

it('explains a server that does not start', async () => {
  const { discovery } = await create({ args: ['wait'] })
  expect(await failureOf(run(discovery))).toMatch(/The MCP server ended \(exit code 3\).*open a browser to sign in/s)
})
