// What a server tells its own parts about its place among the others.
import Type from 'typebox'
import { subject } from '../core/subject.ts'

/**
 * The others took this server for gone and have freed what it held: every socket is let go, and whoever was behind one
 * dials again.
 */
export const leaseLostSubject = subject('fleet:lease_lost', 'here', Type.Null())
