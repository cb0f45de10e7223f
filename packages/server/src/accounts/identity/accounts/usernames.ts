// Usernames of workspaces. A username is a namespace in paths, so it cannot be a reserved path segment.
import { randomInt } from 'node:crypto'
import { slugOf } from '@millrace/contract/refs'
import type { RandomInt } from '../user-code.ts'

export const usernameMaxLength = 64
export const platformUsername = 'millrace'

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** First path segments of the API and of pages on the same host. */
const firstSegments = [
  ...['agent-runs', 'agents', 'apikeys', 'app', 'apps', 'artifacts', 'audit-log', 'auth', 'auth-providers'],
  ...[
    'auth-schemes',
    'billing',
    'budgets',
    'chats',
    'clouds',
    'credentials',
    'dev',
    'v1',
    'a2a',
    'ag-ui',
    'cli',
    'connectors',
    'console',
    'device',
    'docs',
    'engines',
    'entitlements',
    'errors',
    'events',
  ],
  ...[
    'execs',
    'files',
    'flow-runs',
    'flowruns',
    'flows',
    'harnesses',
    'guides',
    'health',
    'healthz',
    'instances',
    'interrupts',
    'invite',
    'invites',
    'ip-blocks',
    'knowledge',
  ],
  ...[
    'mcp',
    'mcp-servers',
    'media',
    'mcps',
    'me',
    'metrics',
    'oauth',
    'openapi',
    'organizations',
    'plans',
    'projects',
    'ready',
  ],
  ...[
    'readyz',
    'ref-routes',
    'remotes',
    'run',
    'scopes',
    'search',
    'secrets',
    'session',
    'sessions',
    'settings',
    'sign-in',
    'skills',
    'sockets',
    'store',
  ],
  ...['suggest', 'tasks', 'teams', 'tools', 'transactions', 'trigger-fires', 'trigger-sources', 'triggers', 'uploads'],
  ...['usage', 'vaults', 'workspaces', 'ws'],
]

/** Words that follow a collection where a namespace could be: `/apps/list`, `/credentials/available`. */
const secondSegments = [
  ...['available', 'capabilities', 'check', 'check-username', 'configs', 'featured', 'hook-events', 'internal-tools'],
  ...['list', 'message', 'messages', 'register', 'resolve', 'resources', 'reveal', 'types'],
]

const reserved: ReadonlySet<string> = new Set([...firstSegments, ...secondSegments, platformUsername])

export const isReservedUsername = (username: string): boolean => reserved.has(username)

export const isSlug = (text: string): boolean => text.length <= usernameMaxLength && slugPattern.test(text)

/** Why a name cannot be chosen; null when only uniqueness is left to check. */
export const usernameProblem = (username: string): 'invalid' | 'reserved' | null => {
  if (!isSlug(username)) return 'invalid'
  return isReservedUsername(username) ? 'reserved' : null
}

/** The closest valid name; empty when no character is usable. */
export const normaliseUsername = (text: string): string => slugOf(text.slice(0, 1024), usernameMaxLength)

const qualities = [
  ...['amber', 'brisk', 'calm', 'clear', 'copper', 'early', 'fair', 'fresh', 'gentle', 'golden', 'keen', 'light'],
  ...['lively', 'lucid', 'mellow', 'mild', 'noble', 'plain', 'quiet', 'rapid', 'ready', 'silver', 'spry', 'steady'],
  ...['still', 'sunny', 'swift', 'tidy', 'upper', 'vivid', 'warm', 'wide'],
]
const things = [
  ...[
    'alder',
    'basin',
    'beck',
    'birch',
    'bridge',
    'brook',
    'cove',
    'creek',
    'delta',
    'ferry',
    'fjord',
    'ford',
    'glade',
  ],
  ...[
    'harbour',
    'heron',
    'inlet',
    'island',
    'lake',
    'lock',
    'marsh',
    'meadow',
    'otter',
    'pond',
    'quay',
    'reed',
    'ridge',
  ],
  ...['river', 'shore', 'spring', 'weir', 'wheel', 'willow'],
]

/** A generated readable name such as `quiet-weir-4821`. There are ten million, so collisions are rare but possible. */
export const generateUsername = (random: RandomInt = randomInt): string => {
  const pick = (words: readonly string[]) => words[random(words.length)] ?? platformUsername
  return `${pick(qualities)}-${pick(things)}-${String(random(10_000)).padStart(4, '0')}`
}
