// The URL that continues a run at a waiting node. Its token is derived, so that it is known before the node waits and
// nothing is stored; it works once, because the node then no longer waits.
import { createHmac } from 'node:crypto'
import type { Platform } from '#platform/core/ctx.ts'
import { sameSecret } from '#platform/core/tokens.ts'

type Signing = Pick<Platform, 'uploadKey' | 'settings'>

const tokenOf = ({ uploadKey }: Signing, runId: string, nodeId: string): string =>
  createHmac('sha256', uploadKey).update(`millrace flow run v1\n${runId}\n${nodeId}`).digest('base64url')

export const isResumeToken = (platform: Signing, runId: string, nodeId: string, token: string): boolean =>
  sameSecret(token, tokenOf(platform, runId, nodeId))

export const resumeUrl = (platform: Signing, runId: string, nodeId: string): string => {
  const query = new URLSearchParams({ node: nodeId, token: tokenOf(platform, runId, nodeId) })
  return `${platform.settings.BASE_URL.replace(/\/+$/, '')}/flowruns/${runId}/resume?${query}`
}
