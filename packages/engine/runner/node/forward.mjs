// Inside a sandbox without a network: local ports that lead, through a socket the sandbox shows, to the engine's proxy.
// As a program it opens them, runs the command after `--` and ends as that does, for programs without a runner.

import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'

// `ways` is `<socket>:<port>[,<port>…]`.
export function openForwards(ways) {
  const [path, ports = ''] = ways.split(':')
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
    server.on('error', reject).listen(port, '127.0.0.1', resolve)
  })
}

if (import.meta.main) {
  await openForwards(process.env.MILLRACE_RUNNER_FORWARD ?? '')
  const [program, ...args] = process.argv.slice(process.argv.indexOf('--') + 1)
  const child = spawn(program, args, { stdio: 'inherit' })
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(127)
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}
