// What the rest of the server may ask of dispatching: who runs what, where.
export { workerNumber } from './fragments.ts'
export { tellLack, tellLacksOf, tellLacksWithin } from './lacks.ts'
export { workerLabel } from './matching.ts'
export { placeTask, type Writing } from './place.ts'
export { fits, type Needs, requirementsOf } from './resources.ts'
export { resendUnaccepted, sendPlaced } from './sending.ts'
