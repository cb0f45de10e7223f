// The filters of the agents list, as written in the address of the page.
import { listAddress } from '../api/list-address.ts'
import { labelsOf } from '../shell/visibility.ts'

/** The visibilities that the server accepts for an agent. */
export const agentVisibilities = ['private', 'team', 'public'] as const
export const agentVisibilityLabels = labelsOf(agentVisibilities)

export const agentsAddress = listAddress({ visibility: agentVisibilityLabels })
