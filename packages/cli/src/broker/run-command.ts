// Runs a program of the operator with a deadline, input and an output limit.
import { spawn } from 'node:child_process'

const deadlineMs = 25_000
const maxBytes = 1024 * 1024

export type Ran = { readonly code: number; readonly out: string; readonly err: string }

export const runCommand = (
  [program = '', ...args]: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
    let [out, err] = ['', '']
    const keep = (text: string, part: unknown): string => {
      if (text.length > maxBytes) child.kill('SIGKILL')
      return text + String(part)
    }
    child.stdout.on('data', (part) => {
      out = keep(out, part)
    })
    child.stderr.on('data', (part) => {
      err = keep(err, part)
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? 1, out, err })
    })
  })
