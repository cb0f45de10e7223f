// The dispatch functions that other features may call.
export { workerNumber } from './fragments.ts'
export { workerLabel } from './matching.ts'
export { type AppStamp, placeTask } from './place-task.ts'
export { fits, type ResourceNeeds, requirementsOf } from './resources.ts'
export { resendUnaccepted, sendPlaced } from './sending.ts'
export { addUnmetNotice, addUnmetNotices, addUnmetNoticesWithin } from './unmet-requirements.ts'
