// Guarantees: every app of a folder in the form of the public catalogue has a valid manifest and loads, and the engine
// survives its run. `npm run prove -- catalogue DIR` checks another folder; it prints counts and the reasons.
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hostEnvironment } from '@millrace/engine/settings'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../packages/engine/src/testing/world.ts'
import { appFolders, checkApp, type Outcome } from './support/corpus.ts'

const own = fileURLToPath(new URL('catalogue', import.meta.url))
const folder = resolve(process.env.INIT_CWD ?? '.', process.env.CATALOGUE_DIR ?? own)
/** Without installation, apps whose packages are not on this machine are skipped. */
const noIndex = { npm_config_registry: 'http://127.0.0.1:9/', PIP_INDEX_URL: 'http://127.0.0.1:9/simple' }
const env = { ...hostEnvironment(process.env), ...(process.env.CATALOGUE_INSTALL === '1' ? {} : noIndex) }

const apps = await appFolders(folder)
const outcomes = new Map<string, Outcome[]>()
let world: World
beforeAll(async () => {
  world = await startWorld({ env, settings: { task_limit_seconds: 120 } })
})
afterAll(async () => {
  await world?.close()
  console.log(report())
})

const report = (): string => {
  const all = [...outcomes].flatMap(([app, list]) => list.map((outcome) => ({ app, ...outcome })))
  const counts = Object.entries(Object.groupBy(all, ({ step, result }) => `${step} ${result}`))
  const reasons = all.filter(({ reason }) => reason !== '')
  return [
    `catalogue: ${apps.length} apps in ${folder}`,
    ...counts.map(([name, list = []]) => `  ${name}: ${list.length}`).sort(),
    ...reasons.map(({ app, step, result, reason }) => `  ${app}: ${step} ${result}: ${reason.split('\n')[0]}`),
  ].join('\n')
}

it('the folder contains apps', () => expect(apps).not.toEqual([]))

it.each(apps)('%s', async (app) => {
  const found = await checkApp(join(folder, app), { world, env })
  outcomes.set(app, found)
  expect(found.filter(({ result }) => result === 'failed')).toEqual([])
})
