// Finds the account of a new connection. Best effort: a connection works without it.
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Platform } from '#platform/core/ctx.ts'
import { readIdentity } from '../auth-providers/service.ts'
import type { Tokens } from './oauth-client.ts'

const limits = { timeoutMs: 10_000, maxBytes: 256 * 1024 }

type Parts = Pick<Platform, 'outbound' | 'log'>

export const deriveIdentity = async (
  { outbound, log }: Parts,
  spec: OAuth2Spec,
  tokens: Tokens,
): Promise<{ account_identifier?: string; account_name?: string }> => {
  try {
    const { identifier, name } = await readIdentity(spec.identity, {
      method: spec,
      answer: tokens.answer,
      ask: async (address, { method = 'GET', body } = {}) => {
        const answer = await outbound.fetch(address, {
          method,
          headers: {
            authorization: `Bearer ${tokens.accessToken}`,
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body }),
          ...limits,
        })
        const text = await answer.text()
        return answer.ok ? parseUntrustedJson(text) : {}
      },
    })
    return identifier === '' && name === '' ? {} : { account_identifier: identifier, account_name: name }
  } catch (error) {
    log.info(
      { reason: error instanceof Error ? error.name : 'unknown' },
      'the account of a connection could not be determined',
    )
    return {}
  }
}
