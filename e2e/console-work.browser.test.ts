// Guarantees: agents, files, flows, artifacts, knowledge and triggers work in a browser: create, use, query and delete;
// no page logs an error, leaves a rejection unhandled or gets an unexpected reply.
import { afterAll, beforeAll, describe } from 'vitest'
import { agentStories } from './console/agents.ts'
import { fileStories } from './console/files.ts'
import { flowStories } from './console/flows.ts'
import { hostileArtifactStories } from './console/hostile-artifact.ts'
import { knowledgeStories } from './console/knowledge.ts'
import { runStories } from './console/runs.ts'
import { sharingStories } from './console/sharing.ts'
import { triggerStories } from './console/triggers.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, signInColleague, startConsole } from './support/console.ts'
import type { SignedIn } from './support/operator.ts'

describe.skipIf(!hasBrowser)('resources in the console', () => {
  let world: ConsoleWorld
  let colleague: Promise<SignedIn>
  beforeAll(async () => {
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    colleague = signInColleague(world)
    await Promise.all([world.appsInstalled(), colleague])
  })
  afterAll(() => world?.close())

  // Before flows exist: it searches for words that no flow may contain.
  knowledgeStories(() => world)
  agentStories(() => world)
  fileStories(() => world)
  flowStories(
    () => world,
    () => colleague,
  )
  hostileArtifactStories(() => world)
  triggerStories(() => world)
  runStories(() => world)
  sharingStories(
    () => world,
    () => colleague,
  )
})
