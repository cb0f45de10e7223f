// What other features may ask of teams.
export { requireTransfer, teamAndView } from './teams.ts'
