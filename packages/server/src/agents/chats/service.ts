// The interface of chats for other features.

export { type Addressee, findModel, modelCreatedAt } from './addressee.ts'
export { remove as deleteChat, stop as stopChat } from './changes.ts'
export { answerTool } from './interrupts/answers.ts'
export { changedChat, getChat, readableChat, readableRun } from './reads.ts'
export { beginDrivenChat, drivenState, type SessionEvent, withDrivenChat } from './runs/driven.ts'
export { type StartAgent, startAgentRun } from './start.ts'
export { continueConversation, type PastCall, type PastMessage, startConversation } from './start-conversation.ts'
export {
  type AnswerUpdate,
  findAnswer,
  followAnswer,
  messagesOfAnswer,
  type RunAnswer,
  usageOfAnswer,
} from './streams/run-answers.ts'
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
export type { ModelRequest, RequestedTool } from './tools/requested.ts'
