// The triggers that end a question by the clock are known by their names. Pure.

export const expiryPrefix = 'expire-interrupt:'

export const expiryName = (interruptId: string): string => `${expiryPrefix}${interruptId}`

/** Whether nobody made the trigger: it stands for the time that a question has. */
export const isExpiry = ({ type, name, interrupt_id }: { type: string; name: string; interrupt_id: string | null }) =>
  type === 'scheduled' && interrupt_id !== null && name === expiryName(interrupt_id)
