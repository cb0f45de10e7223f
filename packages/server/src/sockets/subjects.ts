// Names on the bus that the relay listens to.

/** The socket's task is over; whoever holds an end closes it. */
export const socketOver = (socketId: string): string => `socket_over:${socketId}`
