// Names on the bus that triggers speak and listen to.
import Type from 'typebox'
import { subject } from '../core/subject.ts'

/** A fire waits for dispatch. */
export const waitingSubject = subject('triggers:waiting', 'one', Type.Null())
/** A schedule is new or has changed: every server's clock may be set to the wrong time. */
export const scheduleSubject = subject('triggers:schedule', 'everyone', Type.Null())
