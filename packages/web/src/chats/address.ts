// The filters of the chats list, as written in the address of the page.
import type { ChatStatus } from '@millrace/contract/chats'
import { listAddress } from '../api/list-address.ts'

/** Without labels, so that the first load does not contain the texts of the chat pages. */
const statuses: Record<ChatStatus | 'failed', true> = {
  busy: true,
  awaiting_input: true,
  idle: true,
  completed: true,
  failed: true,
}

export const chatsAddress = listAddress({ status: statuses })
