// The doors of access. The rules are in the files they name.
import { ScopeCatalog } from '@millrace/contract/access'
import { holds, scopeCatalogFor } from '@millrace/contract/scopes'
import { hasRole, isMember } from '../core/actor.ts'
import { operation } from '../core/operation.ts'

export const accessOperations = [
  operation({
    name: 'scopes.list',
    door: 'GET /scopes',
    summary: 'The scopes, groups and presets this caller may choose from',
    scope: 'optional',
    reply: ScopeCatalog,
    run: ({ actor }) =>
      scopeCatalogFor({
        engineScopes: hasRole(actor, 'admin') || (isMember(actor) && actor.platform !== 'not_staff'),
        storeScopes: isMember(actor) && holds(actor.grant, 'store:pricing', actor),
        staff: isMember(actor) && actor.platform !== 'not_staff',
      }),
  }),
]
