// The interface of the OpenAI routes for other protocols whose clients send the whole conversation with each request.
export { callId } from './answer-ids.ts'
export { completedPieces, type FollowedAnswer, followed } from './chat-completions.ts'
export type { OpenAiTurn } from './conversation.ts'
export { readChatCompletion } from './requests.ts'
export { beginAnswer } from './turn.ts'
