// The code bundle of a version's `repository`.

import * as files from '#content/files/service.ts'
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import type { Ctx } from '#platform/core/ctx.ts'

/**
 * The SHA-256 of a bundle stored on this server, which must be a complete upload of the caller's workspace. Empty for
 * code on another server: engines do not verify it.
 */
export const bundleChecksum = async (ctx: Ctx, repositoryUri: string): Promise<string> =>
  repositoryUri.startsWith(mediaUrl(ctx.settings.BASE_URL, '')) ? files.bundleChecksum(ctx, repositoryUri) : ''
