// Runs `millrace admin …` with the operator program of the server that is installed next to this package.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { exitCodes } from './exit-codes.ts'

/** The CLI can also be installed alone, on machines without a server. */
const operatorProgram = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve('@millrace/server/operator')
  } catch {
    return undefined
  }
}

export const runAdmin = (args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const program = operatorProgram()
    if (program === undefined) {
      console.error(
        'error: millrace admin needs the server\nhint: Run `npx millrace admin` in the folder of the server',
      )
      return resolve(exitCodes.usage)
    }
    const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
