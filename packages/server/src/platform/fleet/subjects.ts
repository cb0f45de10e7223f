// Events of a server to its own parts about its lease.
import Type from 'typebox'
import { subject } from '../core/subject.ts'

/**
 * The lease of this server expired and other servers released its resources: all sockets are closed, and their clients
 * reconnect.
 */
export const leaseLostSubject = subject('fleet:lease_lost', 'here', Type.Null())
