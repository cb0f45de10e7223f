// Guarantees: for every credential that starts something, no link of the chain below it (trigger, run, sub-agent, flow node,
// queued message, tool) has a scope that the link above lacks. SCOPE_CHAINS sets the cases (`npm run prove --
// scope-chains --size large`: 100,000).

import { expand, type Grant, grantOfKey, grantOfSession, isSignInOnly, narrow, runAs } from '@millrace/contract/scopes'
import { everyText } from '@millrace/contract/testing/scope-model'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runActor } from '#platform/core/run-actor.ts'
import { missingScope } from '../tools/perform.ts'

const cases = Number(process.env.SCOPE_CHAINS ?? 3_000)

const texts = fc.uniqueArray(fc.constantFrom(...everyText), { maxLength: 12 })
const starter: fc.Arbitrary<Grant> = fc.oneof(
  fc.constant(grantOfSession(null)),
  fc.constant(grantOfSession(null, false)),
  fc.tuple(texts, fc.boolean()).map(([scopes, engine]) => grantOfSession(scopes, engine)),
  fc
    .tuple(texts, fc.boolean(), fc.boolean())
    .map(([scopes, holdsEngineScopes, hasId]) =>
      grantOfKey({ scopes, holdsEngineScopes, ...(hasId && { id: 'key-1' }) }),
    ),
  texts.map((scopes): Grant => ({ kind: 'listed', bearer: 'oauth-app', scopes })),
)

/** As stored in a row. */
const stored = (grant: Grant): Grant => JSON.parse(JSON.stringify(grant)) as Grant

type Link = 'trigger' | 'run' | 'child' | 'flow' | 'queued'
const links = fc.array(fc.constantFrom<Link>('trigger', 'run', 'child', 'flow', 'queued'), {
  minLength: 1,
  maxLength: 8,
})

/** The grant that a link records when the link above starts it. */
const below = (link: Link, above: Grant, other: Grant): Grant => {
  const actor = runActor({ id: 'r', team_id: 't', user_id: 'u', run_as: above })
  switch (link) {
    case 'child':
      return stored(above)
    case 'queued':
      return stored(narrow(stored(runAs(actor.grant)), stored(runAs(other))))
    case 'trigger':
    case 'run':
    case 'flow':
      return stored(runAs(actor.grant))
  }
}

const toolScopes = {
  app: 'apps:execute',
  agent: 'agents:execute',
  mcp: 'agents:execute',
  remote_exec: 'remotes:write',
  remote_list: 'remotes:read',
  agent_spawn: 'agents:execute',
} as const

const offered = (name: keyof typeof toolScopes) => {
  const isKind = name === 'app' || name === 'agent' || name === 'mcp'
  return {
    name,
    type: isKind ? name : ('internal' as const),
    displayName: '',
    description: '',
    parameters: {},
    requireApproval: false,
    tool: null,
    operation: isKind ? '' : name,
  }
}

/** Scopes of a link that the link above lacks, or that are reserved for people. */
const gained = (link: Grant, above: ReadonlySet<string>): string[] =>
  expand(link).filter((scope) => !above.has(scope) || isSignInOnly(scope))

const toolNames = Object.keys(toolScopes) as (keyof typeof toolScopes)[]

it(`no chain ever widens (${cases} chains)`, () => {
  fc.assert(
    fc.property(starter, links, starter, (first, chain, other) => {
      const most = new Set<string>(expand(first))
      let above = stored(runAs(first))
      const wider = gained(above, most)
      for (const link of chain) {
        const next = below(link, above, other)
        wider.push(...gained(next, new Set(expand(above))))
        above = next
      }
      const actor = runActor({ id: 'r', team_id: 't', user_id: 'u', run_as: above })
      const usable = toolNames.filter((name) => missingScope(actor, offered(name)) === undefined)
      expect(wider).toEqual([])
      expect(usable.filter((name) => !most.has(toolScopes[name]))).toEqual([])
    }),
    { numRuns: cases },
  )
})
