// Guarantees: which fields of an app an update changes and which it does not.
import type { App } from '@millrace/contract/apps'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { GivenApps } from './testing/given.ts'
import { readOnly, refusals, tagged } from './testing/refusals.ts'

const untouched = ({ data }: { data: App }, { shared }: GivenApps) =>
  expect(data).toMatchObject({ version_id: shared.version_id, status: 'active', visibility: 'team', name: shared.name })

const notices = (answer: { json: Record<string, unknown> }) =>
  answer.json.messages as { code: string; meta: { field: string } }[]

scenarios<GivenApps>('apps.patch', tagged, [
  {
    claim: 'changes the given fields',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: ({ data }) =>
      expect(data).toMatchObject({ title: 'New', description: 'Before', category: 'text', tags: ['one'] }),
  },
  {
    claim: 'tags are replaced; an empty list is omitted from the answer',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { tags: [], images: { card: 'https://example.com/a.png' } },
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: ({ data }) => {
      expect(data).not.toHaveProperty('tags')
      expect(data.images).toEqual({ card: 'https://example.com/a.png', thumbnail: '', banner: '' })
    },
  },
  {
    claim: 'fields with their own endpoint are ignored with a notice',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New', status: 'retired', visibility: 'public', version_id: 'x', id: 'x', team_id: 'x' },
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: (answer, given) => {
      untouched(answer, given)
      expect(notices(answer).map(({ code, meta }) => [code, meta.field])).toEqual([
        ['ignored_field', 'status'],
        ['ignored_field', 'visibility'],
        ['ignored_field', 'version_id'],
      ])
    },
  },
  {
    claim: "an admin changes a member's private app, audited",
    as: 'admin',
    path: ({ hidden }) => ({ id: hidden.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['team_admin.permission_bypass', 'app.updated'],
    emits: ['team/apps'],
  },
  {
    claim: 'an empty body',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: {},
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only nulls',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: null },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only server-managed keys',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { id: 'x', short_id: 'x', user_id: 'x', team_id: 'x', created_at: 'x', deleted_at: 'x' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only fields with their own endpoint',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { status: 'retired' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'an unknown key',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New', colour: 'red' },
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toContain('colour'),
  },
  {
    claim: 'the name',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { name: 'x' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a bad tag',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { tags: ['a b'] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a long description',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { description: 'x'.repeat(250) },
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toBe('description must be at most 200 characters, got 250'),
  },
  {
    claim: 'a long description from before the limit is not checked again',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: async (_answer, { shared }, world) => {
      const long = 'x'.repeat(250)
      await world.open.platform.db.updateTable('apps').set({ description: long }).where('id', '=', shared.id).execute()
      const again = (method: string) =>
        world.call('owner', `${method} /apps/${shared.id}`, { body: { description: long, title: 'B' } })
      expect((await again('PATCH')).status).toBe(200)
      expect((await again('POST')).status).toBe(200)
      expect((await world.call('owner', `PATCH /apps/${shared.id}`, { body: { description: `${long}!` } })).code).toBe(
        'validation_error',
      )
    },
  },
  readOnly({ title: 'New' }),
  ...refusals({ title: 'New' }),
])

scenarios<GivenApps>('apps.replace', tagged, [
  {
    claim: 'clears omitted fields, except tags',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: (answer, given) => {
      untouched(answer, given)
      expect(answer.data).toMatchObject({
        title: 'New',
        description: '',
        agent_description: '',
        category: 'other',
        tags: ['one'],
      })
    },
  },
  {
    claim: 'an empty list clears the tags',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { tags: [] },
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: ({ data }) => expect(data).not.toHaveProperty('tags'),
  },
  {
    claim: 'sending back a whole app changes only the editable fields',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ shared }: GivenApps) => ({ ...shared, description: 'After', status: 'retired' }),
    status: 200,
    audits: ['app.updated'],
    emits: ['team/apps'],
    check: (answer, given) => {
      untouched(answer, given)
      expect(answer.data).toMatchObject({ title: 'Old', description: 'After', category: 'text', tags: ['one'] })
      expect(notices(answer).map((notice) => notice.meta.field)).toContain('status')
    },
  },
  {
    claim: 'an empty body',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: {},
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only protected keys',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { id: 'x', visibility: 'public' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a bad category',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { category: 'x' },
    status: 400,
    code: 'validation_error',
  },
  readOnly({ title: 'New' }),
  ...refusals({ title: 'New' }),
])
