// A program for root: `hand-over-groups.ts <pid> <uid>` moves an engine that was started as another user into cgroups
// where it may create others. It prints the folders that the caller removes after the engine has ended.
import { handOverGroups } from './control-group-location.ts'

const [pid, uid] = process.argv.slice(2).map(Number)
if (pid === undefined || uid === undefined) throw new Error('usage: hand-over-groups.ts <pid> <uid>')
process.stdout.write(handOverGroups(pid, uid).join('\n'))
