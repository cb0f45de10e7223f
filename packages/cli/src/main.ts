// `millrace`: the command line. Operators' commands run inside the server's package, because they open its database;
// everything else speaks to the API like any other client.
import { runAdmin } from './admin.ts'

const [command, ...rest] = process.argv.slice(2)

if (command === 'admin') process.exit(await runAdmin(rest))
console.log('millrace admin --help')
