// Which agents a list shows, as its address says it.
import { listAddress } from '../api/list-address.ts'

export const seenBy = { private: 'Only you', team: 'The workspace', public: 'Everyone' } as const

export const agentsAddress = listAddress({ visibility: seenBy })
