// Which artifacts a list shows, as its address says it; and kinds and readers of them in words.
import type { ArtifactType } from '@millrace/contract/artifacts'
import { listAddress } from '../api/list-address.ts'

export const artifactKinds: Record<ArtifactType, string> = { html: 'Pages', markdown: 'Documents' }

export const seenBy = {
  private: 'Only you',
  team: 'The workspace',
  unlisted: 'Everyone with the link',
  public: 'Everyone',
} as const

export const artifactsAddress = listAddress({ type: artifactKinds, visibility: seenBy })
