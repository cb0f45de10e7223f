// Guards: what agents, flows, knowledge, tools of others, machines, the installation and the store are to a person in a browser:
// made, used, asked about and put away by hand; and no page logs an error, leaves a rejection unhandled or gets an answer it did
// not expect.
import { afterAll, beforeAll, describe } from 'vitest'
import { agentStories } from './console/agents.ts'
import { appStories } from './console/apps.ts'
import { fileStories } from './console/files.ts'
import { flowStories } from './console/flows.ts'
import { hostileArtifactStories } from './console/hostile-artifact.ts'
import { knowledgeStories } from './console/knowledge.ts'
import { machineStories } from './console/machines.ts'
import { settingsStories } from './console/settings.ts'
import { staffStories } from './console/staff.ts'
import { storeStories } from './console/store.ts'
import { toolServerStories } from './console/tool-servers.ts'
import { triggerStories } from './console/triggers.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'
import { millrace, type SignedIn, signIn } from './support/operator.ts'

describe.skipIf(!hasBrowser)('the console at work', () => {
  let world: ConsoleWorld
  let colleague: Promise<SignedIn>
  let operator: Promise<SignedIn>
  beforeAll(async () => {
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    const { dataDir } = world.server
    const { team } = (await world.call('GET', '/me')) as { team: { username: string } }
    // Commands of the operator take seconds to start, which the apps need as well.
    const words = ['--email', 'grace@mill.example', '--team', team.username, '--role', 'admin', '--json']
    colleague = millrace(dataDir, 'admin', 'sign-in', ...words).then((answer) => JSON.parse(answer) as SignedIn)
    operator = signIn(dataDir, 'owner@mill.example', 'operations')
    await Promise.all([world.appsInstalled(), colleague, operator])
  })
  afterAll(() => world?.close())

  agentStories(() => world)
  fileStories(() => world)
  flowStories(
    () => world,
    () => colleague,
  )
  hostileArtifactStories(() => world)
  knowledgeStories(() => world)
  machineStories(
    () => world,
    () => operator,
  )
  settingsStories(() => world)
  toolServerStories(() => world)
  staffStories(() => world)
  storeStories(() => world)
  appStories(() => world)
  triggerStories(() => world)
})
