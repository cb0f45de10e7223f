// Visibility on the page of a file, a project, a flow run and a chat; and transfers to another workspace.
import { describe, expect, it } from 'vitest'
import { strings as files } from '../../packages/web/src/files/strings.ts'
import { strings as projects } from '../../packages/web/src/projects/strings.ts'
import { strings as runs } from '../../packages/web/src/runs/strings.ts'
import { visibilityLabels, visibilityStrings } from '../../packages/web/src/shell/visibility.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'
import type { SignedIn } from '../support/operator.ts'

type Row = { id: string }
type TestedResource = Row & { visibility: string; team_id: string }

export const sharingStories = (world: () => ConsoleWorld, colleague: () => Promise<SignedIn>) =>
  describe('sharing', () => {
    const post = async (path: string, body: object) => (await world().call('POST', path, body)) as Row
    const held = async (path: string) => (await world().call('GET', path)) as TestedResource

    it('shows a file to everyone with the link', () =>
      world().visit('/files', async (page) => {
        await page
          .getByLabel(files.filesToUpload, { exact: true })
          .setInputFiles({ name: 'toll.txt', mimeType: 'text/plain', buffer: Buffer.from('one sack in twelve') })
        await page.getByRole('row', { name: /toll.txt/ }).click()
        await page.getByText('one sack in twelve').waitFor()
        await page
          .getByLabel(visibilityStrings.label, { exact: true })
          .selectOption({ label: visibilityLabels.unlisted })
        await page.getByText(visibilityStrings.changed('unlisted'), { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        const search = { term: 'toll.txt' }
        const { items } = (await world().call('POST', '/files/list', { search })) as { items: TestedResource[] }
        expect(items[0]?.visibility).toBe('unlisted')
      }))

    it('shows a project only to its creator', async () => {
      const { id } = await post('/projects', { name: 'Lower meadow', type: 'other' })
      await world().visit('/projects', async (page) => {
        await page.getByRole('button', { name: `${projects.edit} Lower meadow`, exact: true }).click()
        const was = (await held(`/projects/${id}`)).visibility
        const next = was === 'private' ? 'team' : 'private'
        await page.getByLabel(visibilityStrings.label, { exact: true }).selectOption(next)
        await page.getByText(visibilityStrings.changed(next), { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        expect((await held(`/projects/${id}`)).visibility).toBe(next)
      })
    })

    it('shares a flow run, and links the flow in the permissions of a node run', async () => {
      const flow = await post('/flows', { name: 'bagging', title: 'Bagging' })
      const echo = await held('/apps/millrace/echo')
      const node = { id: 'bag', type: 'appNode', position: { x: 0, y: 0 }, data: { app_id: echo.id } }
      await post(`/flows/${flow.id}/actions`, { actions: [{ type: 'node.add', payload: node }] })
      const run = await post('/flowruns', { flow: flow.id, input: {} })
      type Steps = { node_tasks: Record<string, { task_id?: string }> }
      const step = async () => ((await world().call('GET', `/flowruns/${run.id}`)) as Steps).node_tasks.bag?.task_id
      await expect.poll(step).toBeTruthy()
      await world().visit(`/runs/${await step()}`, async (page) => {
        const chain = page.getByRole('listitem').filter({ hasText: runs.authority.kinds.flow_run })
        await chain.getByRole('link', { name: 'Bagging', exact: true }).click()
        await page.waitForURL((url) => url.search === `?run=${run.id}`)
        await page.getByRole('heading', { name: 'Bagging', exact: true }).waitFor()
        await page.getByLabel(visibilityStrings.label, { exact: true }).selectOption({ label: visibilityLabels.public })
        await page.getByText(visibilityStrings.changed('public'), { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        expect((await held(`/flowruns/${run.id}`)).visibility).toBe('public')
        expect((await held(`/tasks/${await step()}`)).visibility).toBe('public')
      })
    })

    it('shares a chat with the workspace, and lets its administrators change the visibility', async () => {
      const agent = await post('/agents', { name: 'toller' })
      const { id } = await post('/chats', { agent: agent.id, name: 'About tolls' })
      await world().visit(`/chats/${id}`, async (page) => {
        const seen = page.getByLabel(visibilityStrings.label, { exact: true })
        await seen.selectOption({ label: visibilityLabels.team })
        await expect.poll(async () => (await held(`/chats/${id}`)).visibility).toBe('team')
        expect(await world().violations(page)).toEqual([])
      })
      const { sign_in_url, team_id } = await colleague()
      const context = await world().browser.newContext()
      try {
        const route = await context.newPage()
        await route.goto(sign_in_url)
        await route.getByRole('button', { name: 'Sign in', exact: true }).click()
        await route.waitForURL(/\/console/)
        await route.close()
        await world().visit(
          `/${team_id}/chats/${id}`,
          async (page) => {
            const seen = page.getByLabel(visibilityStrings.label, { exact: true })
            await seen.selectOption({ label: visibilityLabels.public })
            await expect.poll(async () => (await held(`/chats/${id}`)).visibility).toBe('public')
            await seen
              .getByRole('option', { name: visibilityLabels.private, exact: true })
              .waitFor({ state: 'attached' })
          },
          { context },
        )
      } finally {
        await context.close()
      }
    })

    it.each([
      ['agents', '/agents', { name: 'reeve' }, '?tab=settings'],
      ['artifacts', '/artifacts', { name: 'deed', title: 'Deed', type: 'markdown', content: 'Ours.' }, ''],
      [
        'knowledge',
        '/knowledge',
        {
          name: 'weir',
          description: 'How it is mended',
          version: { content: { path: 'weir.md', content: 'Stones.' } },
        },
        '',
      ],
    ])('transfers one of its %s to another workspace', async (name, path, body, part) => {
      const { id } = await post(path, body)
      const stamp = Date.now()
      const taker = await post('/teams', { name: `Far mill ${stamp}`, username: `far-${stamp}` })
      await world().visit(`${path}/${id}${part}`, async (page) => {
        await page.getByLabel('Workspace', { exact: true }).selectOption({ label: `Far mill ${stamp}` })
        await page.getByRole('button', { name: uiStrings.transfer, exact: true }).click()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('dialog').getByRole('button', { name: uiStrings.transfer, exact: true }).click()
        await page.getByText(new RegExp(` transferred to Far mill ${stamp}$`)).waitFor()
        await page.waitForURL((url) => url.pathname.endsWith(`/${name}`))
        await expect(world().call('GET', `${path}/${id}`)).rejects.toThrow('404')
        const state = await page.context().request.get(`${world().server.url}${path}/${id}`, {
          headers: { 'x-team-id': taker.id },
        })
        expect(((await state.json()) as { data: TestedResource }).data.team_id).toBe(taker.id)
      })
    })
  })
