// The filters of the artifact list, as they appear in the address.
import type { ArtifactType } from '@millrace/contract/artifacts'
import { listAddress } from '../api/list-address.ts'
import { labelsOf } from '../shell/visibility.ts'
import { strings } from './strings.ts'

export const artifactKinds: Record<ArtifactType, string> = strings.kinds

export const artifactVisibilities = ['private', 'team', 'unlisted', 'public'] as const
export const artifactVisibilityLabels = labelsOf(artifactVisibilities)

export const artifactsAddress = listAddress({ type: artifactKinds, visibility: artifactVisibilityLabels })
