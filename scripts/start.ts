// `npm start`: builds the console and joins the programs if their sources have changed, then becomes the server.
import { readSettings } from '../packages/server/src/platform/settings/settings.ts'
import { asksForHelp } from '../packages/server/src/platform/settings/settings-help.ts'
import { buildConsole } from './build-console.ts'
import { joinPrograms } from './join-programs.ts'

/** Faulty settings are the server's to report, all of them and in its words. */
const wantsConsole = (argv: readonly string[]): boolean => {
  try {
    return readSettings(process.env, argv).CONSOLE
  } catch {
    return false
  }
}

const argv = process.argv.slice(2)
if (!asksForHelp(argv) && wantsConsole(argv)) buildConsole()
await joinPrograms()
await import('../packages/server/src/start/main.mjs')
