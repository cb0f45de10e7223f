// The page that shows an app's results is a separate artifact. This check decides whether an app may reference it.
import type { AppVisibility } from '@millrace/contract/apps'
import { isArtifactAtLeast } from '#content/artifacts/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'

/** The publisher must be able to read the artifact, and it must be at least as visible as the app. */
export const assertArtifactUsable = async (ctx: Ctx, artifact: string, visibility: AppVisibility): Promise<void> => {
  if (artifact === '' || (await isArtifactAtLeast(ctx, artifact, visibility))) return
  throw fail(
    'validation_error',
    `version.metadata.ui.artifact: artifact ${artifact.slice(0, 200)} not found, or not visible to everyone who can see the app`,
  )
}
