// The filters of the agents list, as written in the address of the page.
import { listAddress } from '../api/list-address.ts'
import { visibilityLabels } from '../shell/visibility.ts'

/** The visibilities that the server accepts for an agent. */
export const agentVisibilities = {
  private: visibilityLabels.private,
  team: visibilityLabels.team,
  public: visibilityLabels.public,
} as const

export const agentsAddress = listAddress({ visibility: agentVisibilities })
