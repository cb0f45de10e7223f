// The interface of flows for other features.
export { createCopy } from './changes.ts'
export { versionDto as flowVersionDto } from './dto.ts'
export { findFlowForTarget, flowOfRun, heldVersion } from './lookup.ts'
export { frozenVersion, type RunVersion, versionForRun } from './publish.ts'
