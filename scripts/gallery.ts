// Takes the pictures in docs/console: a server of its own, a workspace with some work in it, every picture in both themes.
// Run by `npm run gallery`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { createClient } from '../e2e/support/client.ts'
import { type ConsoleWorld, startConsole } from '../e2e/support/console.ts'
import { startModelServer } from '../e2e/support/model-server.ts'
import { signIn } from '../e2e/support/operator.ts'
import { startRemote } from '../e2e/support/remote.ts'

const folder = fileURLToPath(new URL('../docs/console/', import.meta.url))
const settleMs = 1500

type Row = { id: string }

const answer = `**Flour** is ground *grain*. Three things matter:

1. The stone
2. The speed
3. The sieve

| Grind | Use |
|---|---|
| fine | cake |
| coarse | bread |
`

const picture = async (page: Page, name: string, themes: readonly ('light' | 'dark')[]): Promise<void> => {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.waitForTimeout(settleMs)
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) })
    console.log(`${name}-${theme}.png`)
  }
}

const bothThemes = ['light', 'dark'] as const

const show = (world: ConsoleWorld, path: string, name: string, work?: (page: Page) => Promise<void>): Promise<void> =>
  world.visit(path, async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await work?.(page)
    await picture(page, name, bothThemes)
  })

const showNarrow = (world: ConsoleWorld, path: string, name: string): Promise<void> =>
  world.visit(
    path,
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForTimeout(settleMs)
      await page.screenshot({ path: join(folder, `${name}-narrow.png`) })
    },
    { width: 390, theme: 'dark' },
  )

const setUp = (world: ConsoleWorld): Promise<void> =>
  world.visit('/', async (page) => {
    await page.getByLabel('Your name').fill('Ada Lovelace')
    await page.getByLabel('Name of your workspace').fill('Ada’s mill')
    await picture(page, 'welcome', bothThemes)
    await page.getByRole('button', { name: 'Set up the workspace' }).click()
    await page.getByRole('heading', { name: 'Hello, Ada Lovelace' }).waitFor()
  })

const givenRuns = async (world: ConsoleWorld): Promise<Row> => {
  const run = async (app: string, body: object) =>
    (await world.call('POST', '/run', { app, wait: true, ...body })) as Row
  for (const text of ['to be or not to be', 'grist for the mill', 'a rose is a rose is a rose'])
    await run('millrace/word-count', { input: { text } })
  await run('millrace/echo', { function: 'fail', input: { message: 'the mill is dry' } })
  await run('millrace/markdown-to-html', { input: { markdown: '# Flour\n\nGround *today*.' } })
  return run('millrace/word-count', { input: { text: 'the quick brown fox jumps over the lazy dog', top: 5 } })
}

const givenFlow = (world: ConsoleWorld): Promise<void> =>
  world.visit('/flows', async (page) => {
    await page.getByRole('button', { name: 'New flow' }).first().click()
    const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
    const add = async (label: string, id: string) => {
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('menuitem', { name: label }).click()
      await node(id).waitFor()
    }
    await add('Word count', 'word_count')
    const port = (id: string, key: string, side: 'source' | 'target') =>
      node(id).locator(`.react-flow__handle.${side}[data-handleid="${key}"]`)
    await port('input', 'text', 'source').dragTo(port('word_count', 'text', 'target'))
    await page.waitForTimeout(settleMs)
    await port('word_count', 'words', 'source').dragTo(port('output', '+', 'target'))
    await page.waitForTimeout(settleMs)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Text').fill('grist for the mill')
    await page.getByRole('button', { name: 'Start' }).click()
    await node('output').getByText('completed').waitFor({ state: 'attached' })
    await picture(page, 'flow', bothThemes)
  })

const givenTrigger = (world: ConsoleWorld): Promise<void> =>
  show(world, '/triggers/new', 'trigger', async (page) => {
    await page.getByLabel('Name').fill('Every delivery')
    await page.getByLabel('Starts a run of').selectOption({ label: 'Word count' })
    await page.getByRole('button', { name: 'Create the trigger' }).click()
    const address = (await page.getByRole('region', { name: 'Address' }).textContent()) ?? ''
    const headers = { 'content-type': 'application/json' }
    for (const text of ['a first delivery', 'a second one'])
      await fetch(address, { method: 'POST', headers, body: JSON.stringify({ text }) })
    await page.getByRole('button', { name: 'Refresh' }).click()
  })

const givenChat = async (world: ConsoleWorld): Promise<void> => {
  const model = await startModelServer((role, text) =>
    role !== 'tool' && text.includes('count')
      ? { text: 'I will count them.', call: { name: 'count', arguments: { text } } }
      : { reasoning: 'They ask about flour.', text: answer },
  )
  try {
    await world.call('POST', '/secrets', { key: 'OPENAI_BASE_URL', value: model.url })
    await show(world, '/agents', 'chat', async (page) => {
      await page.getByRole('button', { name: 'New agent' }).first().click()
      await page.getByLabel('Name').fill('Miller')
      await page.getByLabel('What it is to do').fill('Answer questions about the mill.')
      await page.getByRole('button', { name: 'Create the agent' }).click()
      await page.getByRole('button', { name: 'Add a tool' }).click()
      await page.getByRole('menuitem', { name: 'App', exact: true }).click()
      await page.getByLabel('App', { exact: false }).last().selectOption('millrace/word-count')
      await page.getByLabel('Name for the model').fill('count')
      await page.getByLabel('Ask a person before each use').check()
      await page.getByRole('button', { name: 'Save as a new version' }).click()
      await page.getByText('As saved').waitFor()
      await page.getByLabel('Write to Miller').fill('What is flour?')
      await page.keyboard.press('Enter')
      await page.getByRole('cell', { name: 'coarse' }).waitFor()
      await page.getByLabel('Write to Miller').fill('Please count these words')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Allow once' }).waitFor()
      await page.getByRole('link', { name: 'Open the chat' }).click()
      await page.getByRole('button', { name: 'Allow once' }).waitFor()
    })
  } finally {
    await model.close()
  }
}

const givenTerminal = async (world: ConsoleWorld, place: string): Promise<void> => {
  const { key } = (await world.call('POST', '/apikeys', { name: 'laptop' })) as { key: string }
  const env = { MILLRACE_API_URL: world.server.url, MILLRACE_API_KEY: key }
  const remote = await startRemote({ cwd: place, configDir: join(place, 'config'), env }, [
    '--name',
    'laptop',
    '--exec',
  ])
  try {
    await show(world, '/remotes', 'terminal', async (page) => {
      await page.getByRole('cell', { name: 'laptop' }).click()
      await page.getByRole('button', { name: 'Open a terminal' }).click()
      const terminal = page.getByRole('region', { name: 'Terminal' })
      await page.getByText('Running').first().waitFor()
      await terminal.getByRole('textbox').focus()
      await page.keyboard.type("PS1='$ '; clear; uname -s; seq 3; ls --color=always -d /etc /tmp /usr\n")
      await terminal.locator('.xterm-rows').getByText('Linux').waitFor()
    })
  } finally {
    await remote.end('SIGINT')
  }
}

const givenMachine = async (world: ConsoleWorld): Promise<void> => {
  const { team } = (await world.call('GET', '/me')) as { team: Row }
  const operator = await signIn(world.server.dataDir, 'owner@mill.example', 'operations')
  const { call } = createClient(world.server.url, { token: operator.session_token, teamId: operator.team_id })
  const offer = (name: string, hourly_price: number, configuration: object) => ({
    catalog_instance_type: name,
    cloud_instance_type: name,
    deployment_type: 'vm',
    configuration,
    availability: [{ region: 'eu-1', rental_type: 'on_demand', available: true, hourly_price }],
  })
  await call('PUT /clouds/here', { kind: 'local', name: 'Here' })
  await call('PUT /clouds/here/types', {
    types: [
      offer('small', 9, { vcpus: 2, memory_in_gb: 8 }),
      offer('gpu-1', 189, { vcpus: 16, memory_in_gb: 64, num_gpus: 1, gpu_type: 'L40S', vram_per_gpu_in_gb: 48 }),
      offer('gpu-8', 1_990, { vcpus: 128, memory_in_gb: 1_024, num_gpus: 8, gpu_type: 'H100', vram_per_gpu_in_gb: 80 }),
    ],
  })
  await call('POST /billing/grants', { team_id: team.id, amount: 5_000_000_000 })
  await show(world, '/machines', 'machines', async (page) => {
    await page.getByRole('button', { name: 'Rent small' }).click()
    await page.getByRole('button', { name: 'Rent it' }).click()
    await page.getByText('Rented now').waitFor()
    await page.getByRole('button', { name: 'Rent gpu-1' }).click()
    await page.getByRole('region', { name: 'Quote' }).waitFor()
  })
}

const world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1', CLOUD_POLL_SECONDS: '1' } })
const place = await mkdtemp(join(tmpdir(), 'millrace-gallery-'))
try {
  await setUp(world)
  const { id } = await givenRuns(world)
  await show(world, `/runs/${id}`, 'run')
  await show(world, '/apps/millrace/word-count', 'app', async (page) => {
    await page.getByLabel('Text', { exact: false }).first().fill('to be or not to be')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Completed').first().waitFor()
  })
  await givenFlow(world)
  await givenTrigger(world)
  await givenChat(world)
  await givenTerminal(world, place)
  await givenMachine(world)
  await show(world, '/tool-servers', 'tool-servers')
  await show(world, '/runs', 'runs')
  await show(world, '/', 'home')
  await showNarrow(world, '/', 'home')
  await showNarrow(world, '/runs', 'runs')
  await showNarrow(world, '/inbox', 'inbox')
} finally {
  await world.close()
  await rm(place, { recursive: true, force: true })
}
