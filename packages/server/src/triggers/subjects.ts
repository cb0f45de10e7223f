// Names on the bus that triggers speak and listen to.

/** A fire waits for dispatch. */
export const waitingSubject = 'triggers:waiting'
/** A schedule is new or has changed. */
export const scheduleSubject = 'triggers:schedule'
