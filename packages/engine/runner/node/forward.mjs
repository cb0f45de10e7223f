// In a sandbox without a network: opens local ports that forward to the engine's proxy through a socket mounted into
// the sandbox. Run as a program, it opens the ports, runs the command after `--` and exits with its status; this serves
// programs without a runner.

import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'

// `target` is `<socket>:<port>[,<port>…]`.
export function openForwards(target) {
  const [path, ports = ''] = target.split(':')
  return Promise.all(ports.split(',').map((port) => listen(Number(port), path)))
}

function listen(port, path) {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path, allowHalfOpen: true })
      near.on('error', () => far.destroy()).on('close', () => far.destroy())
      far.on('error', () => near.destroy()).on('close', () => near.destroy())
      near.pipe(far).pipe(near)
    })
    server.on('error', reject).listen(port, '127.0.0.1', () => resolve(undefined))
  })
}

if (import.meta.main) {
  await openForwards(process.env.MILLRACE_RUNNER_FORWARD ?? '')
  const [program = '', ...args] = process.argv.slice(process.argv.indexOf('--') + 1)
  const child = spawn(program, args, { stdio: 'inherit' })
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(127)
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}
