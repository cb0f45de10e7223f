// Guarantees: every template of the console runs on a fresh server with its example, without keys, and gives the result
// that it describes.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appsOf, graphOf } from '../packages/web/src/templates/graph.ts'
import { templates } from '../packages/web/src/templates/templates.ts'
import { type Guest, startGuest } from './sdk/guest.ts'

type Run = { id: string; status: number; output: Record<string, unknown> | null; error?: string }

const table = (...cells: string[]) =>
  expect.stringMatching(new RegExp(cells.map((cell) => `<td>${cell}</td>`).join('\\s*')))

const expected: Readonly<Record<string, object>> = {
  'reading-report': { words: 6, html: table('to', '2') },
  'compare-texts': { longer: 'first', first: 3, second: 2 },
  keywords: { keywords: ['the', 'mill'] },
  'web-page': { html: expect.stringMatching(/<title>Release notes<\/title>[\s\S]*<h1[^>]*>1\.2<\/h1>/) },
  'mail-merge': {
    letters: 'Dear Ada, we open a shop in London.\nDear Grace, we open a shop in New York.\n',
  },
  'meeting-minutes': {
    markdown: expect.stringContaining('* Ship on Monday'),
    html: expect.stringMatching(/<li>\s*Ship on Monday/),
  },
  invoice: { total: 13, invoice: expect.stringContaining('4 × Flour at 2.5') },
  'csv-to-json': {
    rows: [
      { name: 'Ada', city: 'London' },
      { name: 'Grace', city: 'New York' },
    ],
  },
  'large-orders': { message: 'Order of Mill & Sons over 1500' },
  'github-issue': { message: 'Issue opened: The mill is dry (bug) https://github.com/mill/mill/issues/7' },
  'check-website': { verdict: 'up', status: 200 },
  'pick-winner': { message: expect.stringMatching(/^The winner is (Ada|Grace|Joan)$/) },
}

describe('templates', () => {
  let guest: Guest
  let appIds: Map<string, string>
  let page: Server
  let website: string
  beforeAll(async () => {
    guest = await startGuest({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    appIds = await installedApps()
    page = createServer((_request, response) => response.end('<h1>The mill</h1>'))
    await once(page.listen(0, '127.0.0.1'), 'listening')
    website = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`
  })
  afterAll(async () => {
    page?.close()
    await guest?.remove()
  })

  const needed = new Set(templates.flatMap(appsOf))

  const installedApps = async (): Promise<Map<string, string>> => {
    for (;;) {
      const { body } = await guest.call('POST /apps/list', {
        include_others: true,
        limit: 100,
        filters: [{ field: 'namespace', operator: 'eq', value: 'millrace' }],
      })
      const { items } = body.data as { items: { id: string; name: string }[] }
      if (needed.isSubsetOf(new Set(items.map(({ name }) => name))))
        return new Map(items.map(({ id, name }) => [name, id]))
      await sleep(200)
    }
  }

  const ended = async (id: string): Promise<Run> => {
    for (;;) {
      const run = (await guest.call(`GET /flowruns/${id}`)).body.data as Run
      if (run.status > flowRunStatus.running) return run
      await sleep(50)
    }
  }

  /** Runs a template with its example. */
  const run = async (id: string, changes: Readonly<Record<string, unknown>> = {}): Promise<Run> => {
    const template = templates.find((each) => each.id === id)
    if (!template) throw new Error(`No template is called ${id}`)
    const graph = graphOf(template, appIds)
    const { body: created } = await guest.call('POST /flows', { title: template.title })
    const flow = (created.data as { id: string }).id
    const replaced = await guest.call(`POST /flows/${flow}`, graph)
    if (replaced.status !== 200) throw new Error(JSON.stringify(replaced.body))
    const example = Object.fromEntries(
      Object.entries(template.input.properties).map(([key, field]) => [key, field.default]),
    )
    const { body } = await guest.call('POST /flowruns', { flow, input: { ...example, ...changes } })
    return ended((body.data as Run).id)
  }

  it('are twelve with a result each', () => {
    expect(templates.map(({ id }) => id).sort()).toEqual(Object.keys(expected).sort())
    expect(templates).toHaveLength(12)
  })

  it.each(Object.keys(expected))('%s', async (id) => {
    const { output, error } = await run(id, id === 'check-website' ? { url: website } : {})
    expect({ error: error || undefined, output }).toEqual({ error: undefined, output: expected[id] })
  })

  it('large-orders writes nothing for a small order', async () => {
    expect((await run('large-orders', { amount: 10 })).output ?? {}).toEqual({})
  })
})
