// `millrace`: the command line. Operators' commands run inside the server's package, because they open its database;
// everything else speaks to the API like any other client.
import { runAdmin } from './admin.ts'

const [command, ...rest] = process.argv.slice(2)

if (command === 'admin') process.exit(await runAdmin(rest))
// Started by `remote start`, not by people: keeps what runs when the daemon itself is gone.
if (command === 'remote-keeper') {
  const { hostKeeper } = await import('./remote/keeper-host.ts')
  await hostKeeper(rest[0] ?? '', process.env)
  process.exit(0)
}
const { runCli } = await import('./cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
