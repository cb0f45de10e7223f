// What other features may ask of teams.
export { getTeam, requireTransfer, viewTeam } from './teams.ts'
