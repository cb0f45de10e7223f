// An independent, slower model of scopes, written from [access 2] alone: it builds sets, where scopes.ts answers
// queries. Tests compare the two. Imports only types from the tested code.
import type { Grant, StaffStatus } from '../scopes.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

export const keyActions = words(`
  agents:read agents:write agents:execute apps:read apps:write apps:execute conversations:read conversations:write
  files:read files:write datastores:read datastores:write flows:read flows:write flows:execute
  projects:read projects:write teams:read teams:write billing:read secrets:read secrets:write secrets:reveal
  integrations:read integrations:write credentials:read credentials:write knowledge:read knowledge:write
  artifacts:read artifacts:write remotes:read remotes:write settings:read settings:write`)
export const engineActions = words('engines:read engines:write')
export const storeActions = words('store:pricing store:submit')
export const adminActions = words('admin:read admin:write')
export const signInActions = [
  ...words('billing:write apikeys:read apikeys:write user:read user:write approvals:write'),
  ...adminActions,
]
export const everyAction = [...keyActions, ...engineActions, ...storeActions, ...signInActions]
export const resourceWords = words(`
  agents apps conversations files datastores templates flows projects teams billing secrets integrations credentials
  knowledge artifacts remotes settings`)
export const everyText = [...everyAction, ...resourceWords, '*']

/** A credential as a person would describe it. */
export type Credential =
  | { readonly is: 'browser' }
  | { readonly is: 'narrowed sign-in'; readonly scopes: readonly string[] }
  | { readonly is: 'key'; readonly scopes: readonly string[]; readonly madeByAdmin: boolean }
  | { readonly is: 'app token'; readonly scopes: readonly string[] }

const addAll = (set: Set<string>, texts: readonly string[]): void => {
  for (const text of texts) set.add(text)
}

const takeAll = (set: Set<string>, texts: readonly string[]): void => {
  for (const text of texts) set.delete(text)
}

const closure = (scopes: readonly string[]): Set<string> => {
  const set = new Set<string>()
  for (const text of scopes) {
    if (text === '*') addAll(set, keyActions)
    else if (everyAction.includes(text)) set.add(text)
    else if (resourceWords.includes(text))
      addAll(
        set,
        everyAction.filter((action) => action.startsWith(`${text}:`)),
      )
  }
  for (const action of ['read', 'write'])
    if (set.has(`credentials:${action}`) || set.has(`integrations:${action}`))
      addAll(set, [`credentials:${action}`, `integrations:${action}`])
  if (set.has('secrets:read')) set.add('secrets:reveal')
  return set
}

const namedBy = (credential: Credential): Set<string> => {
  if (credential.is === 'browser') return new Set(everyAction)
  const set = closure(credential.scopes)
  if (credential.is === 'narrowed sign-in') {
    if (credential.scopes.includes('*')) return new Set(everyAction)
    if (set.has('admin:write')) addAll(set, storeActions)
    return set
  }
  if (credential.is === 'key') {
    const full = credential.scopes.length === 0 || credential.scopes.includes('*')
    if (full) addAll(set, keyActions)
    if (full && credential.madeByAdmin) addAll(set, engineActions)
  } else {
    takeAll(set, [...storeActions, 'secrets:reveal'])
  }
  takeAll(set, signInActions)
  return set
}

export const modelHeld = (credential: Credential, staffStatus: StaffStatus): Set<string> => {
  const set = namedBy(credential)
  if (staffStatus.impersonating)
    takeAll(
      set,
      signInActions.filter((action) => !adminActions.includes(action)),
    )
  if (staffStatus.platform !== 'powered') takeAll(set, adminActions)
  if (staffStatus.platform !== 'powered' && !staffStatus.inPlatformTeam) takeAll(set, storeActions)
  return set
}

/** The position in which no scope is withheld. */
export const mostPermissive: StaffStatus = { platform: 'powered', inPlatformTeam: true }

export const staffStatuses: readonly StaffStatus[] = [
  { platform: 'not_staff', inPlatformTeam: false },
  { platform: 'not_staff', inPlatformTeam: true },
  { platform: 'otp_required', inPlatformTeam: false },
  { platform: 'powered', inPlatformTeam: false, impersonating: true },
  mostPermissive,
]

export const grantOf = (
  credential: Credential,
  make: {
    session: (scopes: readonly string[] | null) => Grant
    key: (key: { scopes: readonly string[]; holdsEngineScopes: boolean }) => Grant
  },
): Grant => {
  if (credential.is === 'browser') return make.session(null)
  if (credential.is === 'narrowed sign-in') return make.session(credential.scopes)
  if (credential.is === 'app token') return { kind: 'listed', bearer: 'oauth-app', scopes: credential.scopes }
  return make.key({ scopes: credential.scopes, holdsEngineScopes: credential.madeByAdmin })
}
