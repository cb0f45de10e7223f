// The interface of chats for other features.
export { beginDrivenChat, drivenNeeds, type SaidEvent, withDrivenChat } from './driven.ts'
export { getChat, readableRun, wholeChat } from './reads.ts'
export { type StartAgent, startAgentRun } from './start.ts'
export { endToolCall } from './take-end.ts'
export { clippedBytes } from './tools/http-request.ts'
export {
  type BuiltInTool,
  registerBuiltInTool,
  registerToolKind,
  type ToolDefinition,
  type ToolKind,
  type ToolOutcome,
} from './tools/kinds.ts'
