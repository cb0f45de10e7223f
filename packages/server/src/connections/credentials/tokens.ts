// Sealed tokens: encrypted with the data key of the workspace that owns the row, bound to the row and its column.
import type { Platform } from '#platform/core/ctx.ts'
import { sealBinding } from '#platform/keyring/sealed-columns.ts'
import type { Tokens } from './oauth-client.ts'
import type { ConnectionState, CredentialRow } from './store.ts'

export type TokenColumn = 'access_token_sealed' | 'refresh_token_sealed' | 'id_token_sealed'

type Sealer = Pick<Platform, 'db' | 'keyring'>
type Owner = Pick<CredentialRow, 'id' | 'team_id'>

export const sealToken = ({ db, keyring }: Sealer, row: Owner, column: TokenColumn, token: string): Promise<Buffer> =>
  keyring.seal(db, row.team_id, token, sealBinding('credentials', row.id, column))

/** Null when the row has no token. */
export const openToken = async (
  { db, keyring }: Sealer,
  row: Pick<CredentialRow, 'id' | TokenColumn>,
  column: TokenColumn,
): Promise<string | null> => {
  const sealed = row[column]
  return sealed === null
    ? null
    : (await keyring.open(db, sealed, sealBinding('credentials', row.id, column))).toString()
}

/** The state of a row with new tokens. A service that sends no new refresh token keeps the old one valid. */
export const tokenState = async (
  parts: Sealer & Pick<Platform, 'now'>,
  row: Owner,
  tokens: Tokens,
  previousRefresh: Buffer | null,
): Promise<ConnectionState> => {
  const seal = (column: TokenColumn, token: string | null) =>
    token === null ? Promise.resolve(null) : sealToken(parts, row, column, token)
  const now = parts.now()
  return {
    status: 'connected',
    error_message: '',
    access_token_sealed: await sealToken(parts, row, 'access_token_sealed', tokens.accessToken),
    refresh_token_sealed: (await seal('refresh_token_sealed', tokens.refreshToken)) ?? previousRefresh,
    id_token_sealed: await seal('id_token_sealed', tokens.idToken),
    expires_at:
      tokens.expiresInSeconds === null ? null : new Date(now.getTime() + tokens.expiresInSeconds * 1000).toISOString(),
    updated_at: now.toISOString(),
  }
}
