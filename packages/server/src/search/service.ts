// What other features may ask of the index.
export { countDisagreements, reindex } from './reindex.ts'
export { findByIds as indexedById, findByRefs as indexedByRef, type IndexedResource } from './store.ts'
