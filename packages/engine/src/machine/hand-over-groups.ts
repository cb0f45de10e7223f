// A program for root: `hand-over-groups.ts <pid> <uid>` puts an engine that was just started as somebody else into control
// groups in which it may make others, and prints the folders that whoever started it removes after its end.
import { handOverGroups } from './control-group-place.ts'

const [pid, uid] = process.argv.slice(2).map(Number)
if (pid === undefined || uid === undefined) throw new Error('a process and a user are needed')
process.stdout.write(handOverGroups(pid, uid).join('\n'))
