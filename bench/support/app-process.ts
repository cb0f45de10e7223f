// An app's own process, started as by an engine and called over its local port: the floor of the run benchmark.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const repository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export type AppProcess = { url: string; headers: Record<string, string>; stop(): void }

export const startApp = async (app: string): Promise<AppProcess> => {
  const token = randomBytes(24).toString('base64url')
  const child = spawn(
    process.execPath,
    [repository('packages/engine/runner/node/main.mjs'), repository(`apps/${app}`)],
    { env: { PATH: process.env.PATH, MILLRACE_RUNNER_TOKEN: token }, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.once('exit', () => reject(new Error(`The app ended: ${text}`)))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        text = (text + chunk.toString()).slice(-4096)
        const found = /"port":(\d+)/.exec(text)
        if (found) resolve(Number(found[1]))
      })
  })
  return {
    url: `http://127.0.0.1:${port}/run`,
    headers: { 'x-millrace-token': token, 'content-type': 'application/json' },
    stop: () => {
      child.kill('SIGKILL')
    },
  }
}
