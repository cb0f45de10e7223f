// Expiry triggers of interrupts are recognized by their names. Pure.

export const expiryPrefix = 'expire-interrupt:'

export const expiryName = (interruptId: string): string => `${expiryPrefix}${interruptId}`

/** True for the expiry of an interrupt, which the platform created. */
export const isExpiry = ({ type, name, interrupt_id }: { type: string; name: string; interrupt_id: string | null }) =>
  type === 'scheduled' && interrupt_id !== null && name === expiryName(interrupt_id)
