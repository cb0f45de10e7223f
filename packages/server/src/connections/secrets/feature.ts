// Secrets: sealed values of a workspace.
import type { Feature } from '#platform/core/feature.ts'
import { resealJob, resealValues } from '#platform/keyring/rotation.ts'
import { secretOperations } from './operations.ts'
import { iconJob } from './provider-link.ts'
import { findIconTarget, setIconIfEmpty } from './provider-link-store.ts'
import { findSiteIcon } from './site-icon.ts'
import { sealedVersions } from './versions.ts'

export const secretsFeature: Feature = {
  name: 'secrets',
  operations: secretOperations,
  sealedColumns: [
    sealedVersions,
    { table: 'credentials', column: 'access_token_sealed', teamColumn: 'team_id' },
    { table: 'credentials', column: 'refresh_token_sealed', teamColumn: 'team_id' },
    { table: 'credentials', column: 'id_token_sealed', teamColumn: 'team_id' },
  ],
  jobs: (platform) => ({
    [resealJob]: async ({ team_id }) => {
      await resealValues(platform, String(team_id))
    },
    [iconJob]: async ({ credential_id }) => {
      const target = await findIconTarget(platform.db, String(credential_id))
      const { website } = (target?.metadata ?? {}) as { website?: string }
      if (target?.icon_url !== '' || website === undefined) return
      const icon = await findSiteIcon(platform.outbound, website)
      if (icon !== '') await setIconIfEmpty(platform.db, target.id, icon)
    },
  }),
}
