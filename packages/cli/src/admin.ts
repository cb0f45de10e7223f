// Hands `millrace admin …` to the operator program of the server installed beside this package.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

export const runAdmin = (args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const program = createRequire(import.meta.url).resolve('@millrace/server/operator')
    const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
