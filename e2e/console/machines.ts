// Machines: a terminal on a person's own machine, and its recorded output afterwards; and a rented machine, from
// payment to return.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration } from '../../packages/server/src/machines/engines/testing/engine-double.ts'
import { strings as engine } from '../../packages/web/src/engines/strings.ts'
import { strings as machines } from '../../packages/web/src/machines/strings.ts'
import { strings as remotes } from '../../packages/web/src/remotes/strings.ts'
import { visibilityLabels, visibilityStrings } from '../../packages/web/src/shell/visibility.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import { createClient } from '../support/client.ts'
import type { ConsoleWorld } from '../support/console.ts'
import type { SignedIn } from '../support/operator.ts'
import { type RemoteProcess, startRemote } from '../support/remote.ts'

export const machineStories = (world: () => ConsoleWorld, operator: () => Promise<SignedIn>) =>
  describe('a person’s own machines', () => {
    let folder: string
    let remote: RemoteProcess
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'millrace-console-remote-'))
      const { key } = (await world().call('POST', '/apikeys', { name: 'daemon' })) as { key: string }
      const env = { MILLRACE_API_URL: world().server.url, MILLRACE_API_KEY: key }
      const place = { cwd: folder, configDir: join(folder, 'config'), env }
      remote = await startRemote(place, ['--name', 'bench', '--exec', '--allow', 'sh'])
    })
    afterAll(async () => {
      await remote?.end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    })

    it('opens a terminal, types into it, resizes it, and replays it afterwards', () =>
      world().visit('/remotes', async (page) => {
        await page.getByRole('cell', { name: 'bench', exact: true }).click()
        await page.getByRole('button', { name: remotes.remote.openTerminal, exact: true }).click()
        const terminal = page.getByRole('region', { name: remotes.command.terminal, exact: true })
        const screen = terminal.locator('.xterm-rows')
        await page.getByText('Running', { exact: false }).first().waitFor()
        const type = async (line: string) => {
          await terminal.getByRole('textbox').focus()
          await page.keyboard.type(line)
          await page.keyboard.press('Enter')
        }
        await type('echo grist $((6 * 7))')
        await screen.getByText('grist 42').waitFor()
        /** The command line is on the screen too, but contains no digits. */
        const columns = async () => Number(/wide=(\d+)/.exec((await screen.textContent()) ?? '')?.[1] ?? 0)
        const columnsNow = () =>
          expect.poll(async () => {
            await type("clear; stty size | sed 's/.* /wide=/'")
            return columns()
          })
        // A terminal starts with 80 columns and is then resized.
        await columnsNow().toBeGreaterThan(80)
        await page.setViewportSize({ width: 800, height: 900 })
        await columnsNow().toSatisfy((now: number) => now > 0 && now < 80)
        expect(await world().violations(page)).toEqual([])
        await page.keyboard.press('F6')
        await type('exit 3')
        await page.getByText(remotes.command.exited(3)).first().waitFor()
        await page.reload()
        await page
          .getByRole('button', { name: /Terminal/ })
          .first()
          .click()
        await screen.getByText('exit 3').waitFor()
      }))

    it('adds a rule for commands of agents, and removes it', () =>
      world().visit('/remotes', async (page) => {
        await page.getByRole('cell', { name: 'bench', exact: true }).click()
        const rules = page.locator('section').filter({ hasText: remotes.rules.title })
        await rules.getByText(remotes.rules.none, { exact: true }).waitFor()
        await rules.getByRole('button', { name: remotes.rules.submit, exact: true }).click()
        await page.getByLabel(remotes.rules.command, { exact: true }).last().fill('git status*')
        await page.getByLabel(remotes.rules.effect, { exact: true }).selectOption({ label: remotes.rules.effects.deny })
        await page.getByRole('dialog').getByRole('button', { name: remotes.rules.submit, exact: true }).click()
        await rules.getByText('deny', { exact: true }).waitFor()
        await rules.getByRole('button', { name: remotes.rules.removeOf('git status*'), exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
        await rules.getByText(remotes.rules.none, { exact: true }).waitFor()
      }))

    it('renames an engine and shows the load of its machine', async () => {
      const system_info = { ram: { total: 8_000, available: 2_000 }, cpus: [{ cores: 4, usage: 0.25 }] }
      await world().call('POST', '/engines/register', { ...registration({ name: 'desk' }), system_info })
      await world().visit('/engines?sort=name:asc', async (page) => {
        await page
          .getByRole('columnheader', { name: 'Name', exact: true })
          .and(page.locator('[aria-sort=ascending]'))
          .waitFor()
        await page.getByRole('cell', { name: 'desk', exact: true }).click()
        await page.getByRole('img', { name: new RegExp(`^${engine.load.processor}: 25 % now, .* since \\d`) }).waitFor()
        await page.getByRole('img', { name: new RegExp(`^${engine.load.memory}: 75 % now`) }).waitFor()
        await page.getByRole('button', { name: 'Rename', exact: true }).click()
        await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('mill wheel')
        await page.getByRole('button', { name: engine.controls.rename, exact: true }).click()
        await page.getByRole('heading', { level: 1, name: 'mill wheel', exact: true }).waitFor()
        await page
          .getByLabel(visibilityStrings.label, { exact: true })
          .selectOption({ label: visibilityLabels.private })
        await page.getByText(visibilityStrings.changed('private'), { exact: true }).waitFor()
        await page.getByRole('button', { name: 'Stop', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click()
        await page.getByRole('button', { name: 'Delete', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
        await page.getByText(uiStrings.deletedThing('mill wheel'), { exact: true }).waitFor()
      })
    })

    /** Administration that needs the server's own machine. */
    const givenCloud = async (): Promise<void> => {
      const { team } = (await world().call('GET', '/me')) as { team: { id: string } }
      const { session_token, team_id } = await operator()
      const { call } = createClient(world().server.url, { token: session_token, teamId: team_id })
      const availability = [{ region: 'desk', rental_type: 'on_demand', available: true, hourly_price: 360 }]
      const type = { catalog_instance_type: 'small', cloud_instance_type: 's', deployment_type: 'vm' }
      const answers = [
        await call('PUT /clouds/here', { kind: 'local', name: 'Here' }),
        await call('PUT /clouds/here/types', { types: [{ ...type, configuration: { vcpus: 2 }, availability }] }),
        await call('POST /billing/grants', { team_id: team.id, amount: 1_000_000_000 }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    }

    it('rents a machine after a quote, extends it, and gets a refund on returning it', async () => {
      await givenCloud()
      await world().visit(
        '/machines',
        async (page) => {
          await page.getByRole('button', { name: machines.rentThis('small'), exact: true }).click()
          await page.getByRole('dialog').getByLabel(machines.rent.hours, { exact: true }).fill('2')
          await page.getByRole('region', { name: machines.rent.quote, exact: true }).getByText('$7.20').waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('button', { name: machines.rent.submit, exact: true }).click()
          await page.getByRole('heading', { name: machines.rented.title, exact: true }).waitFor()
          await world().visit('/', (home) => home.getByText('Cost, 24 hours').waitFor())
          await page.getByRole('button', { name: machines.rented.extend, exact: true }).click()
          await page.getByRole('dialog').getByText('$3.60').waitFor()
          await page.getByRole('button', { name: machines.rented.pay, exact: true }).click()
          await page.getByRole('dialog').getByText('not', { exact: false }).waitFor()
          await page.getByRole('dialog').getByLabel(machines.rented.hours, { exact: true }).fill('0.5')
          await page.getByRole('button', { name: machines.rented.pay, exact: true }).click()
          await page.getByText(machines.rented.extended('small')).waitFor()
          await page.getByRole('button', { name: machines.rented.return, exact: true }).click()
          await page
            .getByRole('dialog')
            .getByText(/About \$8\.9\d is refunded/)
            .waitFor()
          await page.getByRole('dialog').getByRole('button', { name: machines.rented.return, exact: true }).click()
          await page.getByText(machines.rented.returned('small')).waitFor()
          const { balance } = (await world().call('GET', '/billing')) as { balance: number }
          expect(balance).toBeGreaterThan(980_000_000)
        },
        { expected: [402] },
      )
    })
  })
