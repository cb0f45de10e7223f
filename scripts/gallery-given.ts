// A workspace with example data for the screenshots of the console: created through the API, or by mouse where the
// screenshot shows a user's actions.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { authenticatorCode } from '../e2e/support/authenticator.ts'
import { createClient } from '../e2e/support/client.ts'
import type { ConsoleWorld } from '../e2e/support/console.ts'
import { givenAgent } from '../e2e/support/given-agent.ts'
import { startModelServer } from '../e2e/support/model-server.ts'
import { signIn } from '../e2e/support/operator.ts'
import { startRemote } from '../e2e/support/remote.ts'
import { strings as flows } from '../packages/web/src/flows/strings.ts'
import { strings as remotes } from '../packages/web/src/remotes/strings.ts'

type Row = { id: string }

/** The address of the page with the created object; a screenshot may be taken there. */
export type Story = { path: string }

const answer = `**Flour** is ground *grain*. Three things matter:

1. The stone
2. The speed
3. The sieve

| Grind | Use |
|---|---|
| fine | cake |
| coarse | bread |
`

export const setUp = (world: ConsoleWorld, look: (page: Page) => Promise<void>): Promise<void> =>
  world.visit('/', async (page) => {
    await page.getByLabel('Your name', { exact: true }).fill('Ada Lovelace')
    await page.getByLabel('Workspace name', { exact: true }).fill('Ada’s mill')
    await look(page)
    await page.getByRole('button', { name: 'Set up workspace', exact: true }).click()
    await page.getByRole('heading', { name: 'Hello, Ada Lovelace', exact: true }).waitFor()
  })

export const givenRuns = async (world: ConsoleWorld): Promise<Story> => {
  const run = async (app: string, body: object) =>
    (await world.call('POST', '/run', { app, wait: true, ...body })) as Row
  for (const text of ['to be or not to be', 'grist for the mill', 'a rose is a rose is a rose'])
    await run('millrace/word-count', { input: { text } })
  await run('millrace/echo', { function: 'fail', input: { message: 'the mill is dry' } })
  await run('millrace/markdown-to-html', { input: { markdown: '# Flour\n\nGround *today*.' } })
  const { id } = await run('millrace/word-count', {
    input: { text: 'the quick brown fox jumps over the lazy dog', top: 5 },
  })
  return { path: `/runs/${id}` }
}

/** Three nodes, connected by mouse, with a run. */
export const givenFlow = async (world: ConsoleWorld): Promise<Story> => {
  let path = ''
  await world.visit('/flows', async (page) => {
    await page.getByRole('button', { name: 'New flow', exact: true }).first().click()
    const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Word count', exact: true }).click()
    await node('word_count').waitFor()
    const port = (id: string, key: string, side: 'source' | 'target') =>
      node(id).locator(`.react-flow__handle.${side}[data-handleid="${key}"]`)
    const lines = (count: number) =>
      page
        .locator('.react-flow__edge')
        .nth(count - 1)
        .waitFor({ state: 'attached' })
    await port('input', 'text', 'source').dragTo(port('word_count', 'text', 'target'))
    await lines(1)
    await port('word_count', 'words', 'source').dragTo(port('output', '+', 'target'))
    await lines(2)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Text', { exact: true }).fill('grist for the mill')
    await page.getByRole('button', { name: flows.editor.start, exact: true }).click()
    await node('output').getByText('completed').waitFor({ state: 'attached' })
    const { pathname, search } = new URL(page.url())
    const flow = pathname.slice(pathname.indexOf('/flows/'))
    path = `${flow}${search}`
    await world.call('PATCH', flow, { title: 'Count what arrives', name: 'count' })
  })
  return { path }
}

export const givenTrigger = async (world: ConsoleWorld): Promise<Story> => {
  const apps = (await world.call('GET', '/apps?include_others=true&limit=100')) as { items: (Row & { name: string })[] }
  const app_id = apps.items.find(({ name }) => name === 'word-count')?.id
  const trigger = (await world.call('POST', '/triggers', {
    name: 'Every delivery',
    type: 'webhook',
    action: 'run_app',
    app_id,
    filters: [{ field: 'text', operator: 'contains', value: 'delivery' }],
  })) as Row & { webhook_url: string }
  await world.call('POST', '/triggers', {
    name: 'Every working day',
    type: 'cron',
    action: 'run_app',
    app_id,
    config: { expression: '0 9 * * 1-5', timezone: 'Europe/London' },
  })
  for (const text of ['a first delivery', 'a second delivery', 'something else'])
    await fetch(trigger.webhook_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
  return { path: `/triggers/${trigger.id}` }
}

/** An agent with a tool that needs approval; `look` sees its page and the chat that waits for an answer. */
export const givenChat = async (
  world: ConsoleWorld,
  look: (name: 'agent' | 'chat', page: Page) => Promise<void>,
): Promise<void> => {
  const model = await startModelServer((role, text) =>
    role !== 'tool' && text.includes('count')
      ? { text: 'I will count them.', call: { name: 'count', arguments: { text } } }
      : { reasoning: 'They ask about flour.', text: answer },
  )
  try {
    await world.call('POST', '/secrets', { key: 'OPENAI_BASE_URL', value: model.url })
    await world.visit('/agents', async (page) => {
      await givenAgent(page, 'Answer questions about the mill.')
      await page.getByLabel('Message Miller', { exact: true }).fill('What is flour?')
      await page.keyboard.press('Enter')
      await page.getByRole('cell', { name: 'coarse', exact: true }).waitFor()
      await look('agent', page)
      await page.getByLabel('Message the agent', { exact: true }).fill('Please count these words')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor()
      await page.getByRole('link', { name: 'Open chat', exact: true }).click()
      await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor()
      await look('chat', page)
    })
  } finally {
    await model.close()
  }
}

export const givenTerminal = async (
  world: ConsoleWorld,
  place: string,
  look: (page: Page) => Promise<void>,
): Promise<void> => {
  const { key } = (await world.call('POST', '/apikeys', { name: 'laptop' })) as { key: string }
  const env = { MILLRACE_API_URL: world.server.url, MILLRACE_API_KEY: key }
  const remote = await startRemote({ cwd: place, configDir: join(place, 'config'), env }, [
    '--name',
    'laptop',
    '--exec',
  ])
  try {
    await world.visit('/remotes', async (page) => {
      await page.getByRole('cell', { name: 'laptop', exact: true }).click()
      await page.getByRole('button', { name: remotes.remote.openTerminal, exact: true }).click()
      const terminal = page.getByRole('region', { name: remotes.command.terminal, exact: true })
      await page.getByText('Running').first().waitFor()
      await terminal.getByRole('textbox').focus()
      await page.keyboard.type("PS1='$ '; clear; uname -s; seq 3; ls --color=always -d /etc /tmp /usr\n")
      await terminal.locator('.xterm-rows').getByText('Linux').first().waitFor()
      await look(page)
    })
  } finally {
    await remote.end('SIGINT')
  }
}

/** Machines to rent; steps that need an administrator run on the server's own machine. */
export const givenMachines = async (world: ConsoleWorld): Promise<void> => {
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
}

/**
 * Confirms the sign-in, which opens the pages of the installation; adds a plan, a workspace that uses it, and an
 * address.
 */
export const givenStaff = async (world: ConsoleWorld): Promise<Readonly<Record<string, string>>> => {
  const { secret } = (await world.call('POST', '/auth/totp/enroll')) as { secret: string }
  await world.call('POST', '/auth/totp/confirm', { code: authenticatorCode(secret, Date.now()) })
  const { team } = (await world.call('GET', '/me')) as { team: Row }
  const limits = { triggers: { type: 'limit', limit: 3 }, seats: { type: 'limit', limit: 10 } }
  await world.call('PUT', '/plans/small', { plan_type: 'base', description: 'For one mill', limits })
  await world.call('PUT', `/workspaces/${team.id}/plans/small`)
  await world.call('POST', '/ip-blocks', { network: '203.0.113.0/24', reason: 'floods' })
  const organization = (await world.call('POST', '/organizations', { name: 'The mills', username: 'the-mills' })) as Row
  return {
    installation: '/installation',
    workspaces: '/installation/workspaces',
    'installation-workspace': `/installation/workspaces/${team.id}`,
    organizations: '/installation/organizations',
    organization: `/installation/organizations/${organization.id}`,
    plans: '/installation/plans',
    addresses: '/installation/addresses',
  }
}

/** Two entries, one of which mentions the other, an artifact, a project and a secret. */
export const givenKnowledge = async (world: ConsoleWorld): Promise<{ entry: string; artifact: string }> => {
  const entry = (name: string, description: string, content: string) =>
    world.call('POST', '/knowledge', { name, description, version: { content: { path: `${name}.md`, content } } })
  const { team } = (await world.call('GET', '/me')) as { team: { username: string } }
  const stones = (await entry(
    'grinding-stones',
    'How millstones are dressed',
    '# Stones\n\nDress them every **two** weeks.\n\n- Lift the runner\n- Mark the furrows\n- Cut\n',
  )) as Row
  await entry('flour', 'Products of the mill', `Ground between ${team.username}/grinding-stones, sieved twice.`)
  const artifact = (await world.call('POST', '/artifacts', {
    title: 'Yield',
    type: 'html',
    content: '<h1 style="font-family:sans-serif">412 kg</h1><p style="font-family:sans-serif">this week</p>',
  })) as Row
  await world.call('POST', '/projects', { name: 'Autumn harvest', type: 'other' })
  return { entry: `/knowledge/${stones.id}`, artifact: `/artifacts/${artifact.id}` }
}
