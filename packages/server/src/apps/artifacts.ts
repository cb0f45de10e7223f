// The page that shows an app's results is an artifact of its own. The one place that decides whether an app may name it.
import type { AppVisibility } from '@millrace/contract/apps'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'

/** Readable by the publisher and at least as visible as the app. This server keeps no artifacts, so none is readable. */
export const assertArtifactUsable = async (_ctx: Ctx, artifact: string, _visibility: AppVisibility): Promise<void> => {
  if (artifact === '') return
  throw fail(
    'validation_error',
    `version.metadata.ui.artifact: there is no readable artifact ${artifact.slice(0, 200)}`,
  )
}
