// The page that shows an app's results is an artifact of its own. The one place that decides whether an app may name it.
import type { AppVisibility } from '@millrace/contract/apps'
import { isArtifactAtLeast } from '#content/artifacts/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'

/** Readable by the publisher and at least as visible as the app. */
export const assertArtifactUsable = async (ctx: Ctx, artifact: string, visibility: AppVisibility): Promise<void> => {
  if (artifact === '' || (await isArtifactAtLeast(ctx, artifact, visibility))) return
  throw fail(
    'validation_error',
    `version.metadata.ui.artifact: there is no artifact ${artifact.slice(0, 200)} that everyone who sees the app could see`,
  )
}
