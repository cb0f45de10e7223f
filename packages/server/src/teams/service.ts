// What other features may ask of teams.
export { getTeam, viewTeam } from './teams.ts'
