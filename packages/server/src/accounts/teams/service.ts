// Team functions for other features.
export { requireTransfer } from './teams.ts'
