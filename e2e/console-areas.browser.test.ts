// Guarantees: machines, settings, tool servers, the installation, apps and the store work in a browser: create, use,
// query and delete; no page logs an error, leaves a rejection unhandled or gets an unexpected reply.
import { afterAll, beforeAll, describe } from 'vitest'
import { appStories } from './console/apps.ts'
import { machineStories } from './console/machines.ts'
import { settingsStories } from './console/settings.ts'
import { staffStories } from './console/staff.ts'
import { storeStories } from './console/store.ts'
import { toolServerStories } from './console/tool-servers.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, signInColleague, startConsole } from './support/console.ts'
import { type SignedIn, signIn } from './support/operator.ts'

describe.skipIf(!hasBrowser)('the areas of the console', () => {
  let world: ConsoleWorld
  let operator: Promise<SignedIn>
  beforeAll(async () => {
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    operator = signIn(world.server.dataDir, 'owner@mill.example', 'operations')
    await Promise.all([world.appsInstalled(), operator, signInColleague(world)])
  })
  afterAll(() => world?.close())

  machineStories(
    () => world,
    () => operator,
  )
  settingsStories(() => world)
  toolServerStories(() => world)
  staffStories(() => world)
  // After staff set up the authenticator, which pricing requires.
  appStories(() => world)
  storeStories(() => world)
})
