// Guarantees: no editor of the console loses unsaved work silently, and no editor saves invalid input.
import { afterAll, beforeAll, describe } from 'vitest'
import { agentEditingStories } from './console/agent-editing.ts'
import { flowEditingStories } from './console/flow-editing.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, startConsole } from './support/console.ts'

describe.skipIf(!hasBrowser)('editing in the console', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await startConsole({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
    await world.appsInstalled()
  })
  afterAll(() => world?.close())

  agentEditingStories(() => world)
  flowEditingStories(() => world)
})
