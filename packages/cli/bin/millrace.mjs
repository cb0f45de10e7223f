#!/usr/bin/env node
// The `millrace` command. Plain JavaScript: the host's Node may be too old for the program, which brings its own.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const bundledNode = () => {
  try {
    return join(dirname(require.resolve('node/package.json')), 'bin', 'node')
  } catch {
    return process.execPath
  }
}

/** Prints the version without loading the program, because scripts call it often. */
const printVersion = () => console.log(require('../package.json').version)

const run = () => {
  const recent = Number(process.versions.node.split('.')[0]) >= 24
  const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'main.mjs')
  const child = spawn(recent ? process.execPath : bundledNode(), [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 130 : 1)))
}

if (process.argv.length === 3 && process.argv[2] === '--version') printVersion()
else run()
