// The status of a chat with its icon.
import type { Chat } from '@millrace/contract/chats'
import { Status, type Tone } from '../ui/status.tsx'
import { strings } from './strings.ts'

const tones: Record<Chat['status'], Tone> = { busy: 'live', awaiting_input: 'yours', idle: 'waiting', completed: 'ok' }

export const ChatStatus = ({ chat: { status } }: { chat: Pick<Chat, 'status'> }) => (
  <Status tone={tones[status]}>{strings.statuses[status]}</Status>
)
