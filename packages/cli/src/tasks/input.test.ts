// Guarantees: an input is a JSON object from any source, and an invalid one is a usage error.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, test } from 'vitest'
import { exitCodes } from '../exit-codes.ts'
import { createShell } from '../testing/shell.ts'
import { mentionsLocalFile, readInput } from './input.ts'

describe('the input of a run', () => {
  it('is empty without arguments', async () => expect(await readInput(await createShell(), {})).toEqual({}))
  it('is read from arguments', async () =>
    expect(await readInput(await createShell(), { input: ['{"a":1}'] })).toEqual({ a: 1 }))
  it('is read from key=value arguments, which override an object', async () => {
    const schemaOf = async () => ({ properties: { a: { type: 'string' }, b: { type: 'integer' } } })
    const given = { input: ['{"a":"x","c":1}', 'a=2', 'b=2'] }
    expect(await readInput(await createShell(), given, schemaOf)).toEqual({ a: '2', b: 2, c: 1 })
  })
  it('is read from stdin', async () => {
    const shell = await createShell({ stdin: Readable.from(['{"a"', ':2}']) })
    expect(await readInput(shell, { inputFile: '-' })).toEqual({ a: 2 })
  })
  it('is read from a file relative to the current folder', async () => {
    const shell = await createShell()
    await writeFile(join(shell.cwd, 'in.json'), '{"a":3}')
    expect(await readInput(shell, { inputFile: 'in.json' })).toEqual({ a: 3 })
  })
})

test.each<[string, Record<string, string | string[]>]>([
  ['broken JSON', { input: ['{'] }],
  ['digits that would be lost', { input: ['{"n":9007199254740993}'] }],
  ['a list', { input: ['[1]'] }],
  ['null', { input: ['null'] }],
  ['two inputs', { input: ['{}'], inputFile: 'x' }],
  ['a file that is not there', { inputFile: 'nowhere.json' }],
])('%s is a usage error', async (_claim, options) =>
  expect(readInput(await createShell(), options)).rejects.toMatchObject({ exitCode: exitCodes.usage }),
)

test.each<[unknown, boolean]>([
  [{ a: '@photo.png' }, true],
  [{ a: [{ b: '@x' }] }, true],
  [{ a: 'ada@mill.example' }, false],
  [{ a: '@' }, false],
  [{ '@a': 1 }, false],
])('%j mentions a local file: %j', (value, expected) => expect(mentionsLocalFile(value)).toBe(expected))
