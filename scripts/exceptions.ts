// What breaks a rule of the checks, and why it may. An entry that is no longer needed is an error too, so the lists only
// shrink by themselves.
import type { Exceptions } from './source-files.ts'

export const longFiles: Exceptions = {
  'packages/contract/src/engine-frames.ts': 'the frames of one protocol, a table',
  'packages/web/src/forms/schema-form.tsx': 'one input per kind of schema, each calling the others',
}

/** `path#function`. */
export const longFunctions: Exceptions = {
  'packages/engine/runner/node/zod3.mjs#translate': 'one case per kind of schema',
  'packages/engine/src/discover.ts#discoverIn': 'one process from its start to its end',
  'packages/engine/src/engine.ts#startEngine': 'the order in which an engine starts, read from top to bottom',
  'packages/server/src/automation/flow-runs/engine/events.ts#applyEvent': 'one case per event',
  'packages/server/src/platform/http/streams.ts#sendStream': 'one life of a stream: opened, written, ended',
  'packages/server/src/start/platform.ts#openPlatform':
    'the order in which the parts need each other, read from top to bottom',
  'packages/server/src/execution/runs/run.ts#prepareTask': 'the order of checks of a run, read from top to bottom',
}

export const sqlOutsideStores: Exceptions = {
  'packages/server/src/start/address.ts': 'two statements of a small file that owns them',
  'packages/server/src/platform/core/ctx.ts': 'savepoints: the transaction itself, no table',
  'packages/server/src/execution/dispatch/fragments.ts':
    'conditions that several stores of the room share, no statement',
  'packages/server/src/platform/http/block-requests.ts': 'one statement of a part that has no other',
  'packages/server/src/platform/jobs/jobs.ts': 'calls the job library’s own function',
  'packages/server/src/platform/jobs/life.ts': 'looks at advisory locks, no table',
  'packages/server/src/content/search/access.ts': 'conditions that the searches share, no statement',
  'packages/server/src/execution/tasks/fragments.ts': 'conditions that stores of several rooms share, no statement',
}

export const tablesOfSeveralRooms: Exceptions = {
  agents: 'a project that goes takes itself out of what it held',
  api_key_previous_values: 'identity ends the keys of a person with their values',
  api_keys: 'a key is touched by whoever signs in with it; identity ends keys with their people',
  auth_sessions: 'access touches and slides a session on use; identity makes and ends it',
  chats: 'a project that goes takes itself out of what it held',
  credentials:
    'a kind of row each: OAuth apps of auth-providers, keys of secrets, connections of credentials, shown as one list',
  server_state: 'a shelf of named values, one name per owner',
  tasks: 'what a run cost is written with its charge, by one statement in the transaction that ends it',
  team_members: 'identity makes the first membership with the account',
  teams: 'identity makes the personal workspace with the account',
  triggers: 'a project that goes takes itself out of what it held',
  users: 'access keeps the service accounts of workspace keys as users; teams keeps the default workspace',
  workers: 'taking and freeing a worker is part of the statement that moves a task',
}

/** Files that name each other’s types in a circle, sorted and joined by a space. */
export const typeCycles: Exceptions = {
  'packages/server/src/platform/core/ctx.ts packages/server/src/platform/core/gate.ts packages/server/src/platform/core/operation.ts':
    'the context carries the gate and the operations, and their functions take a context',
}

/** `from → to`. */
export const reexportedStores: Exceptions = {
  'packages/server/src/execution/tasks/service.ts → packages/server/src/execution/tasks/move-store.ts':
    'a statement that dispatch completes with who may take a task: one round trip gives many away',
  'packages/server/src/execution/tasks/service.ts → packages/server/src/execution/tasks/new-task-store.ts':
    'statements that dispatch and flow runs complete: a run, or a whole flow run, is written by one round trip',
}
