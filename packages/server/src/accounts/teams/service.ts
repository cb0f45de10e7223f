// What other features may ask of teams.
export { requireTransfer } from './teams.ts'
