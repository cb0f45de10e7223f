// The status of a chat with its icon.
import type { Chat } from '@millrace/contract/chats'
import { Status, type Tone } from '../ui/status.tsx'
import { strings } from './strings.ts'

const tones: Record<Chat['status'], Tone> = { busy: 'live', awaiting_input: 'yours', idle: 'waiting', completed: 'ok' }

/** Why the last run failed; undefined unless it did. */
export const failureOf = ({ status, last_error }: Pick<Chat, 'status' | 'last_error'>): string | undefined =>
  status === 'idle' && last_error ? last_error : undefined

export const ChatStatus = ({ chat }: { chat: Pick<Chat, 'status' | 'last_error'> }) =>
  failureOf(chat) === undefined ? (
    <Status tone={tones[chat.status]}>{strings.statuses[chat.status]}</Status>
  ) : (
    <Status tone="bad">{strings.failed}</Status>
  )
