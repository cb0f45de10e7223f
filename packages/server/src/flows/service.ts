// What other features may ask of flows.
export { createCopy } from './changes.ts'
export { versionDto as flowVersionDto } from './dto.ts'
export { findFlowForTarget } from './lookup.ts'
export { frozenVersion, type RunVersion, versionForRun } from './publish.ts'
export { type FlowRow, findFlow, findVersions as findFlowVersions, type VersionRow as FlowVersionRow } from './store.ts'
