// The interface of flows for other features.
export { createCopy } from './changes.ts'
export { versionDto as flowVersionDto } from './dto.ts'
export { findFlowForTarget, flowOfRun, pinnedVersion } from './lookup.ts'
export { frozenVersion, type RunVersion, versionForRun } from './publish.ts'
