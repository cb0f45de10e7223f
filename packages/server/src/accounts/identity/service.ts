// Identity functions for other features and the operator's commands.
export { addMember, createTeam, ensureAccount, findAccount, platformTeam } from './accounts/accounts.ts'
export { isValidEmail, mailboxKey, normaliseEmail } from './accounts/email.ts'
export { awaitPlatformTeam } from './accounts/first-account.ts'
export { reportUser } from './accounts/user-updates.ts'
export { normaliseUsername, usernameProblem } from './accounts/usernames.ts'
export { teamDto, userDto } from './dto.ts'
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
export { createSession } from './sessions/sessions.ts'
export { issueSignInLink } from './sign-in/magic-links.ts'
export { ownerSignInUrl } from './sign-in/owner-link.ts'
