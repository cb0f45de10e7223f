// A program runs from one joined file only while that is as new as every source it was made of; otherwise from the sources.
import { rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { isFresh, joinedFile, launch, originFile, originOf } from './launch.mjs'

const name = `launch-test-${process.pid}`
const source = join(tmpdir(), `${name}.mjs`)
const neighbour = join(tmpdir(), `${name}-neighbour.mjs`)

afterAll(() =>
  Promise.all([source, neighbour, joinedFile(name), originFile(name)].map((path) => rm(path, { force: true }))),
)

test('what `npm start` starts is joined, and fresh', () => {
  expect(['server', 'operator', 'engine', 'cli'].filter((program) => !isFresh(program))).toEqual([])
})

test('a source that changed, went, came or was moved since is run instead of the joined file', async () => {
  await writeFile(source, `export const from = 'source'`)
  await writeFile(neighbour, '')
  await writeFile(joinedFile(name), `export const from = 'joined'`)
  const remember = (place = {}) =>
    writeFile(originFile(name), JSON.stringify({ ...originOf([source, neighbour]), ...place }))
  const started = async () => ((await launch(name, pathToFileURL(source))) as { from: string }).from

  expect(await started()).toBe('source')
  await remember()
  expect(await started()).toBe('joined')
  await utimes(neighbour, new Date(0), new Date(0))
  expect(await started()).toBe('source')
  await remember()
  expect(await started()).toBe('joined')
  await rm(neighbour)
  expect(await started()).toBe('source')
  await remember()
  await writeFile(neighbour, '')
  expect(await started()).toBe('source')
  await remember()
  expect(await started()).toBe('joined')
  await remember({ cacheFolder: join(tmpdir(), 'another-clone') })
  expect(await started()).toBe('source')
})
