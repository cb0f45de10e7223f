// The filters of the artifact list, as they appear in the address.
import type { ArtifactType } from '@millrace/contract/artifacts'
import { listAddress } from '../api/list-address.ts'
import { visibilityLabels } from '../shell/visibility.ts'
import { strings } from './strings.ts'

export const artifactKinds: Record<ArtifactType, string> = strings.kinds

const { private: own, team, unlisted, public: open } = visibilityLabels
export const artifactVisibilities = { private: own, team, unlisted, public: open }

export const artifactsAddress = listAddress({ type: artifactKinds, visibility: artifactVisibilities })
