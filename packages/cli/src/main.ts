// `millrace`: the command line. Operators' commands run inside the server's package, because they open its database;
// everything else speaks to the API like any other client.
import { homedir } from 'node:os'
import { runAdmin } from './admin.ts'
import { commands } from './commands.ts'
import { runProgram } from './program.ts'

const [command, ...rest] = process.argv.slice(2)

if (command === 'admin') process.exit(await runAdmin(rest))

// A reader that went away (`millrace task list | head -1`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await runProgram(
  commands,
  {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    stdin: process.stdin,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI,
    columns: process.stderr.isTTY === true ? process.stderr.columns || 80 : null,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    now: () => new Date(),
  },
  process.argv.slice(2),
)
