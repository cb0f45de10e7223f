// Guards: what machines, settings, tools of others, the installation, apps and the store are to a person in a browser: made, used,
// asked about and put away by hand; and no page logs an error, leaves a rejection unhandled or gets an answer it did not expect.
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

describe.skipIf(!hasBrowser)('the rooms of the console', () => {
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
  // After the staff has set up its authenticator, which prices ask for.
  appStories(() => world)
  storeStories(() => world)
})
