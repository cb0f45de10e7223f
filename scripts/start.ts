// `npm start`: builds the console, packs the CLI and joins the programs if their sources have changed, then becomes the
// server.
import { readSettings } from '../packages/server/src/platform/settings/settings.ts'
import { requestsHelp } from '../packages/server/src/platform/settings/settings-help.ts'
import { buildConsole } from './build-console.ts'
import { joinPrograms } from './join-programs.ts'
import { packServedCli } from './pack-cli.ts'

/** The server itself reports invalid settings. */
const wantsConsole = (argv: readonly string[]): boolean => {
  try {
    return readSettings(process.env, argv).CONSOLE
  } catch {
    return false
  }
}

const argv = process.argv.slice(2)
if (!requestsHelp(argv) && wantsConsole(argv)) buildConsole()
// Without npm the server starts all the same; then it has no CLI to offer.
await packServedCli().catch((error: Error) => console.error(`warning: The CLI could not be packed: ${error.message}`))
await joinPrograms()
await import('../packages/server/src/start/main.mjs')
