// The interface of chats for other features.

export { changedChat, getChat, readableRun } from './reads.ts'
export { beginDrivenChat, drivenState, type SessionEvent, withDrivenChat } from './runs/driven.ts'
export { type StartAgent, startAgentRun } from './start.ts'
export { endToolCall } from './tools/end-tool-call.ts'
export { clippedBytes } from './tools/http-request.ts'
export {
  type BuiltInTool,
  registerBuiltInTool,
  registerToolKind,
  type ToolDefinition,
  type ToolKind,
  type ToolOutcome,
} from './tools/kinds.ts'
