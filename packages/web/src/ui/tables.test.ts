// Guarantees: every table is listed here with what its rows do; rows that are pages are links.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('..', import.meta.url))

/** `page`: each row is a link to a page. `dialog`: a row opens in place. `plain`: a row has no page of its own. */
const rowsOf: Readonly<Record<string, 'page' | 'dialog' | 'plain'>> = {
  'agents/agent-page.tsx': 'plain',
  'apps/app-versions.tsx': 'plain',
  'artifacts/artifacts-page.tsx': 'page',
  'chats/chats-page.tsx': 'page',
  'engines/engines-page.tsx': 'page',
  'files/files-page.tsx': 'dialog',
  'flows/flows-page.tsx': 'page',
  'flows/loop-items.tsx': 'dialog',
  'installation/addresses-page.tsx': 'plain',
  'installation/organizations-page.tsx': 'page',
  'installation/workspaces-page.tsx': 'page',
  'knowledge/knowledge-page.tsx': 'page',
  'machines/machines-page.tsx': 'dialog',
  'money/transactions.tsx': 'plain',
  'remotes/remotes-page.tsx': 'page',
  'runs/runs-page.tsx': 'page',
  'secrets/secrets-page.tsx': 'dialog',
  'secrets/vaults-page.tsx': 'dialog',
  'settings/audit-page.tsx': 'dialog',
  'settings/keys-page.tsx': 'plain',
  'settings/webhooks-page.tsx': 'dialog',
  'triggers/trigger-events.tsx': 'dialog',
  'triggers/triggers-page.tsx': 'page',
  'usage/groups-table.tsx': 'page',
}

const elements = (file: string): string[] =>
  [...readFileSync(`${source}${file}`, 'utf8').matchAll(/<(?:Long)?Table\b[^<]*/g)].map(([element]) => element)

const kindOf = (element: string): string =>
  element.includes('linkOf=') ? 'page' : element.includes('onOpen') ? 'dialog' : 'plain'

it('rows that are pages are links', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.startsWith('ui/'))
    .sort()
  const found = files.flatMap((file) => elements(file).map((element) => [file, kindOf(element)]))
  expect(Object.fromEntries(found)).toEqual(rowsOf)
  expect(found).toHaveLength(Object.keys(rowsOf).length)
})
