// What other features may ask of teams.
export { viewTeam } from './teams.ts'
