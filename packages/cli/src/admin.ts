// Hands `millrace admin …` to the operator program of the server installed beside this package.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { exitCodes } from './exit-codes.ts'

/** The command line is also installed alone, on machines that only speak to a server. */
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
      console.error('error: millrace admin works where the server is installed; run `npx millrace admin` in its folder')
      return resolve(exitCodes.usage)
    }
    const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
