// What other features may ask of teams.
export { toTeam, toUser } from './shapes.ts'
export { viewTeam } from './teams.ts'
