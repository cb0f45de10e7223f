// Guards: what agents, flows, knowledge, tools of others, machines and the installation are to a person in a browser: made, used, asked about and put
// away by hand; and no page logs an error, leaves a rejection unhandled or gets an answer it did not expect.
import { afterAll, beforeAll, describe } from 'vitest'
import { agentStories } from './console/agents.ts'
import { flowStories } from './console/flows.ts'
import { hostileArtifactStories } from './console/hostile-artifact.ts'
import { knowledgeStories } from './console/knowledge.ts'
import { machineStories } from './console/machines.ts'
import { staffStories } from './console/staff.ts'
import { toolServerStories } from './console/tool-servers.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

describe.skipIf(!hasBrowser)('the console at work', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    await world.appsInstalled()
  })
  afterAll(() => world?.close())

  agentStories(() => world)
  flowStories(() => world)
  hostileArtifactStories(() => world)
  knowledgeStories(() => world)
  machineStories(() => world)
  toolServerStories(() => world)
  staffStories(() => world)
})
