// `millrace`: the CLI. Operator commands run inside the package of the server, because they open its database. All
// others use the API like any client.
import { runAdmin } from './admin.ts'

const [command, ...rest] = process.argv.slice(2)

if (command === 'admin') process.exit(await runAdmin(rest))
// Started by `remote start`. It keeps commands running while the daemon restarts.
if (command === 'remote-keeper') {
  const { runSupervisor } = await import('./remote/supervisor-process.ts')
  await runSupervisor(rest[0] ?? '', process.env)
  process.exit(0)
}
const { runCli } = await import('./cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
