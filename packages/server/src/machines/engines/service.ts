// The engine functions that other features may call.
export { drainEngine, lockWritableEngine, removeEngine } from './control.ts'
export {
  isEngineProcess,
  prepareEngineFolder,
  readPidFile,
  signalEngine,
  spawnEngine,
} from './engine-process.ts'
export { beginStop, finalize } from './liveness.ts'
export { addPendingEngine, changedEngine, engineShown, lockEngine, setStopReason } from './rented.ts'
