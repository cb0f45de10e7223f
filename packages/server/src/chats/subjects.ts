// What chats say on the bus.

/** Every change of a chat: `{seq, events}`. */
export const chatSubject = (chatId: string): string => `chat:${chatId}`
/** There is a request to make. */
export const errandsSubject = 'chats:errands'
