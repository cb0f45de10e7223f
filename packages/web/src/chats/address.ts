// Which chats a list shows, as its address says it.
import type { ChatStatus } from '@millrace/contract/chats'
import { listAddress } from '../api/list-address.ts'

export const statusWords: Record<ChatStatus, string> = {
  busy: 'at work',
  awaiting_input: 'waits for you',
  idle: 'quiet',
  completed: 'finished',
}

export const chatsAddress = listAddress({ status: statusWords })
