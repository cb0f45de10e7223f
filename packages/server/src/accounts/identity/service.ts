// Identity functions for other features and the operator's commands.
export { addMember, createTeam, ensureAccount, findAccount, platformTeam } from './accounts.ts'
export { teamDto, userDto } from './dto.ts'
export { isValidEmail, mailboxKey, normaliseEmail } from './email.ts'
export { issueSignInLink } from './magic-links.ts'
export { ownerSignInUrl } from './owner-link.ts'
export {
  assignableRoles,
  type Capability,
  can,
  capabilitiesOf,
  type Position,
  refuseRemoval,
  teamKind,
  teamRoles,
  wouldLeaveNoOwner,
} from './roles.ts'
export { createSession } from './sessions.ts'
export { reportUser } from './user-news.ts'
export { normaliseUsername, usernameProblem } from './usernames.ts'
