// Proves that the device that redeems the claim code requested it (RFC 7636).
import { createHash, randomBytes } from 'node:crypto'

export type Pkce = { readonly verifier: string; readonly challenge: string }

export const pkceOf = (random: Buffer): Pkce => {
  const verifier = random.toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const newPkce = (): Pkce => pkceOf(randomBytes(32))
