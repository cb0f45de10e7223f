// Guarantees: every operation has scenarios for success, invalid input, guests, wrong role and foreign workspace, as far
// as they apply, and for each declared failure; no operation answers with an undeclared one.
// The tables are read from all test files, so the result does not depend on which tests run.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { IdPath, ListRequest } from '@millrace/contract/common'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { type Operation, operation } from '#platform/core/operation.ts'
import { operations } from '#start/app.ts'
import { canBeInvalid, missingScenarios, undeclaredCodes } from './scenario-coverage.ts'
import type { RecordedScenario } from './scenarios.ts'

const source = fileURLToPath(new URL('..', import.meta.url))

const filesWithTables = async (): Promise<string[]> => {
  const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.test.ts')).sort()
  const files = names.map((name) => join(source, name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return files.filter((_file, index) => /\bscenarios[<(]/.test(texts[index] ?? ''))
}

const readTables = async (files: string[]): Promise<RecordedScenario[]> => {
  const reader = fileURLToPath(new URL('./read-scenarios.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [reader, ...files], { maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout) as RecordedScenario[]
}

it('every operation covers every applicable case, and fails only as declared', async () => {
  const recorded = await readTables(await filesWithTables())
  expect(recorded.length).toBeGreaterThan(50)
  expect(missingScenarios(operations, recorded)).toEqual([])
  expect(undeclaredCodes(operations, recorded)).toEqual([])
})

describe('the check itself', () => {
  const update: Operation = operation({
    name: 'things.update',
    route: 'PUT /things/:id',
    summary: 'Change a thing',
    scope: 'apps:write',
    role: 'admin',
    path: IdPath,
    body: Type.Object({ name: Type.String() }),
    reply: Type.Object({}),
    fails: ['not_found', 'name_conflict'],
    run: () => ({}),
  })
  const row = (as: string | null, status: number, code?: string): RecordedScenario => ({
    operation: 'things.update',
    as,
    status,
    code,
  })
  const all: [string, RecordedScenario][] = [
    ['success', row('admin', 200)],
    ['invalid input', row('admin', 400, 'validation_error')],
    ['wrong role', row('member', 403, 'team_role_required')],
    ['foreign team', row('stranger', 404)],
    ['not_found', row('admin', 404, 'not_found')],
    ['name_conflict', row('admin', 409, 'name_conflict')],
  ]

  it('accepts full coverage, and names every missing case', () => {
    expect(
      missingScenarios(
        [update],
        all.map(([, recorded]) => recorded),
      ),
    ).toEqual([])
    expect(missingScenarios([update], [])).toEqual(all.map(([name]) => `things.update: ${name}`))
  })

  it.each(all)('names a lacking %s', (name) => {
    const rest = all.filter(([other]) => other !== name).map(([, recorded]) => recorded)
    expect(missingScenarios([update], rest)).toEqual([`things.update: ${name}`])
  })

  it('names an undeclared code', () => {
    const shown = [
      row('owner', 409, 'already_exists'),
      row('owner', 409, 'already_exists'),
      row('owner', 404, 'not_found'),
    ]
    expect(undeclaredCodes([update], shown)).toEqual(['things.update: already_exists'])
  })

  it('another operation’s scenarios do not count', () => {
    const foreign = all.map(([, recorded]) => ({ ...recorded, operation: 'things.create' }))
    expect(missingScenarios([update], foreign)).toHaveLength(all.length)
  })

  it('requires only applicable cases', () => {
    const rest = { route: 'GET /things/:id', path: IdPath, role: undefined, body: undefined, fails: [] } as const
    const needed = (declared: Partial<Operation>) =>
      missingScenarios([{ ...update, ...rest, routes: [rest.route], ...declared } as Operation], []).map(
        (line) => line.split(': ')[1],
      )
    expect(needed({})).toEqual(['success', 'foreign team'])
    expect(needed({ scope: 'public' })).toEqual(['success'])
    expect(needed({ scope: 'optional' })).toEqual(['success', 'anonymous'])
    expect(needed({ scope: 'authenticated', routes: ['GET /things'] })).toEqual(['success'])
    expect(needed({ publicRows: true })).toEqual(['success', 'anonymous', 'foreign team'])
    expect(needed({ capability: 'manage_keys' })).toContain('wrong role')
    expect(needed({ capability: 'create_keys' })).not.toContain('wrong role')
  })

  it('detects which input can be invalid', () => {
    const with_ = (parts: Partial<Operation>) => canBeInvalid({ ...update, path: undefined, body: undefined, ...parts })
    expect(with_({})).toBe(false)
    expect(with_({ path: IdPath })).toBe(false)
    expect(with_({ path: Type.Object({ kind: Type.String({ enum: ['a'] }) }) })).toBe(true)
    expect(with_({ query: Type.Object({ term: Type.Optional(Type.String()) }) })).toBe(false)
    expect(with_({ query: Type.Object({ term: Type.String() }) })).toBe(true)
    expect(with_({ query: Type.Object({ limit: Type.Optional(Type.Integer()) }) })).toBe(true)
    expect(with_({ body: Type.Object({}) })).toBe(false)
    expect(with_({ body: Type.Object({ anything: Type.Unknown() }) })).toBe(false)
    expect(with_({ body: Type.Object({ name: Type.Optional(Type.String()) }) })).toBe(true)
    expect(with_({ body: ListRequest })).toBe(true)
  })
})
