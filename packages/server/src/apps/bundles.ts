// The code bundle behind a version's `repository`.
import type { Ctx } from '../core/ctx.ts'

/** SHA-256 of the uploaded bundle; empty for a URI that is not one of this server's files. */
export const bundleChecksum = async (_ctx: Ctx, _repositoryUri: string): Promise<string> => ''
