// The code bundle behind a version's `repository`.

import * as files from '#content/files/service.ts'
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import type { Ctx } from '#platform/core/ctx.ts'

/**
 * SHA-256 of the bundle when it is a file of this server: then it must be a whole upload of the caller's workspace. Code
 * that lies elsewhere has none: an engine takes it as it comes.
 */
export const bundleChecksum = async (ctx: Ctx, repositoryUri: string): Promise<string> =>
  repositoryUri.startsWith(mediaUrl(ctx.settings.BASE_URL, '')) ? files.bundleChecksum(ctx, repositoryUri) : ''
