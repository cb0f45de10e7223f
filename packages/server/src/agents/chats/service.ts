// The interface of chats for other features.
export { beginDrivenChat, drivenState, type SessionEvent, withDrivenChat } from './driven.ts'
export { endToolCall } from './end-tool-call.ts'
export { changedChat, getChat, readableRun } from './reads.ts'
export { type StartAgent, startAgentRun } from './start.ts'
export { clippedBytes } from './tools/http-request.ts'
export {
  type BuiltInTool,
  registerBuiltInTool,
  registerToolKind,
  type ToolDefinition,
  type ToolKind,
  type ToolOutcome,
} from './tools/kinds.ts'
