// Accepted violations of the checks, with reasons. An unused entry is an error, so the lists can only shrink.
import type { Exceptions } from './source-files.ts'

export const longFiles: Exceptions = {
  'packages/contract/src/engine-frames.ts': 'the frames of one protocol, a table',
  'packages/web/src/forms/schema-form.tsx': 'one input per kind of schema, each calling the others',
}

/** `path#function`. */
export const longFunctions: Exceptions = {
  'e2e/console/agents.ts#agentStories': 'one list of stories; each is a function',
  'e2e/console/apps.ts#appStories': 'one list of stories; each is a function',
  'e2e/console/settings.ts#settingsStories': 'one list of stories; each is a function',
  'packages/engine/runner/node/zod3.mjs#translate': 'one case per kind of schema',
  'packages/engine/src/discover.ts#discoverIn': 'one process from its start to its end',
  'packages/engine/src/engine.ts#startEngine': 'the start sequence of an engine, from top to bottom',
  'packages/server/src/automation/flow-runs/engine/events.ts#applyEvent': 'one case per event',
  'packages/server/src/platform/http/streams.ts#sendStream': 'the lifecycle of a stream: opened, written, ended',
  'packages/server/src/start/platform.ts#openPlatform': 'the parts in order of their dependencies, from top to bottom',
  'packages/server/src/execution/runs/run.ts#prepareTask': 'the checks of a run in order, from top to bottom',
}

/** `path#function`, counted with nested functions. */
export const longClosures: Exceptions = {
  'packages/cli/src/remote/supervisor.ts#createSupervisor':
    'the commands of one remote: their state and the functions that change it',
  'packages/cli/src/remote/sessions.ts#createSessions':
    'the sessions of a remote: their state and the functions that change it',
  'packages/engine/src/engine.ts#startEngine': 'the start sequence of an engine, from top to bottom',
  'packages/engine/src/link/link.ts#openLink': 'one connection: its state and the functions that change it',
  'packages/engine/src/machine/gpu-memory.ts#createGpuMemory':
    'the reservations of all cards: their state and the functions that change it',
  'packages/engine/src/workers/warm-slot.ts#createWarmSlot':
    'one app process: its state and the functions that change it',
  'packages/server/src/accounts/access/authenticate.ts#createAuthenticate':
    'the cached credentials and the functions that use them',
  'packages/server/src/accounts/identity/pages/sign-in-routes.ts#signInRoutes': 'one list of routes',
  'packages/server/src/agents/remotes/socket.ts#remoteSockets': 'the messages of one connection and their functions',
  'packages/server/src/execution/sockets/relay.ts#createRelay': 'one relay: its state and the functions that change it',
  'packages/server/src/platform/bus/postgres.ts#connectPostgresBus':
    'one connection: its state and the functions that change it',
  'packages/server/src/platform/fairness/fair-share.ts#createFairShare':
    'one fair queue: its state and the functions that change it',
  'packages/server/src/platform/ws/machine-sockets.ts#machineSockets':
    'one kind of socket: its state and the functions that change it',
}

export const sqlOutsideStores: Exceptions = {
  'packages/server/src/start/address.ts': 'two statements of a small file that owns them',
  'packages/server/src/platform/core/ctx.ts': 'savepoints: the transaction itself, no table',
  'packages/server/src/execution/dispatch/fragments.ts':
    'conditions that several stores of the feature share, not a statement',
  'packages/server/src/platform/http/block-requests.ts': 'one statement of a part without others',
  'packages/server/src/platform/jobs/jobs.ts': 'calls the job library’s own function',
  'packages/server/src/platform/jobs/runner-lock.ts': 'reads advisory locks, not a table',
  'packages/server/src/content/search/access.ts': 'conditions that the searches share, not a statement',
  'packages/server/src/execution/tasks/fragments.ts':
    'conditions that stores of several features share, not a statement',
}

export const tablesOfSeveralRooms: Exceptions = {
  agents: 'deleting a project removes it from its resources',
  api_key_previous_values: 'identity ends the keys of a person with their values',
  api_keys: 'access records the use of a key; identity ends keys with their owners',
  auth_sessions: 'access extends a session on use; identity creates and ends it',
  chats: 'deleting a project removes it from its resources',
  credentials:
    'one type of row each: OAuth apps of auth-providers, keys of secrets, connections of credentials, shown as one list',
  server_state: 'named values, each with one owner',
  tasks: 'the cost of a run is written with its charge, by one statement in the transaction that ends it',
  team_members: 'identity creates the first membership with the account',
  teams: 'identity creates the personal workspace with the account',
  triggers: 'deleting a project removes it from its resources',
  users: 'access stores the service accounts of workspace keys as users; teams stores the default workspace',
  workers: 'reserving and freeing a worker is part of the statement that moves a task',
}

/** Files whose types refer to each other in a cycle, sorted and joined by a space. */
export const typeCycles: Exceptions = {
  'packages/server/src/platform/core/ctx.ts packages/server/src/platform/core/gate.ts packages/server/src/platform/core/operation.ts':
    'the context contains the gate and the operations, whose functions take a context',
}

/** `from → to`. */
export const reexportedStores: Exceptions = {
  'packages/server/src/execution/tasks/service.ts → packages/server/src/execution/tasks/move-store.ts':
    'dispatch completes this statement with its own conditions, so that one round trip assigns many tasks',
  'packages/server/src/execution/tasks/service.ts → packages/server/src/execution/tasks/new-task-store.ts':
    'dispatch and flow runs complete these statements, so that one round trip writes a run or a whole flow run',
}
