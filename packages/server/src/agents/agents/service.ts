// The interface of agents for other features.
export { categoryOf, enabledCategories, findHookEvent, isTopLevelTool } from './catalog.ts'
export { forgetRemote } from './changes.ts'
export { type FullConfig, secretsIn } from './config.ts'
export { versionDto } from './dto.ts'
export { agentSummaries, findRunnable, get as getAgent, type RunnableAgent, requireAgentWithin } from './lookup.ts'
export { adHocVersion, loadVersion, toolSecret, type Version } from './versions.ts'
