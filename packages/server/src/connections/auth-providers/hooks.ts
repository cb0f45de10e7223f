// The list of hooks, for the route and for the validation of specs.
import type { AuthHooks } from '@millrace/contract/auth-providers'
import { authServerProfiles } from './auth-server-profiles.ts'
import { identityHooks } from './identities.ts'
import { tokenResponseHooks } from './token-responses.ts'
import { variableHooks } from './url-variables.ts'

export const hookCatalogue: AuthHooks = {
  token_response: [...tokenResponseHooks],
  identity: [...identityHooks],
  vars: [...variableHooks],
  auth_server_profiles: authServerProfiles.map(({ name, hosts }) => ({ name, hosts: [...hosts] })),
}
