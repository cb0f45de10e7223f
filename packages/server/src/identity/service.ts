// What other features and the operator's commands may ask of identity.
import type { Platform } from '../core/ctx.ts'

export { addMember, createTeam, ensureAccount } from './accounts.ts'
export { createSession } from './sessions.ts'

export const ownerSignInUrl = async (_platform: Platform): Promise<string | null> => null
