// What other features and the operator's commands may ask of identity.
import type { Platform } from '../core/ctx.ts'

export { addMember, createTeam, ensureAccount } from './accounts.ts'
export { isValidEmail, mailboxKey, normaliseEmail } from './email.ts'
export {
  assignableRoles,
  type Capability,
  can,
  capabilitiesOf,
  type Position,
  refuseRemoval,
  teamKind,
  wouldLeaveNoOwner,
} from './roles.ts'
export { createSession } from './sessions.ts'
export { toTeam, toUser } from './shapes.ts'
export { normaliseUsername, usernameProblem } from './usernames.ts'

export const ownerSignInUrl = async (_platform: Platform): Promise<string | null> => null
