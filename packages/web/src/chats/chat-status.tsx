// How a chat stands, in one word and one icon.
import type { Chat } from '@millrace/contract/chats'
import { Status, type Tone } from '../ui/status.tsx'

const shown: Record<Chat['status'], [Tone, string]> = {
  busy: ['live', 'at work'],
  awaiting_input: ['yours', 'waits for you'],
  idle: ['waiting', 'quiet'],
  completed: ['ok', 'finished'],
}

export const ChatStatus = ({ chat: { status } }: { chat: Pick<Chat, 'status'> }) => {
  const [tone, words] = shown[status]
  return <Status tone={tone}>{words}</Status>
}
