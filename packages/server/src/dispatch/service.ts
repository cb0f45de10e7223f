// What the rest of the server may ask of dispatching: who runs what, where.
export { resendUnaccepted } from './dispatcher.ts'
export { workerNumber } from './fragments.ts'
export { workerLabel } from './matching.ts'
export { placeTask } from './place.ts'
export { fits, type Needs, needsInWords, requirementsOf } from './resources.ts'
