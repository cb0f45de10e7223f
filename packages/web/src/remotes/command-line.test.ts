// Guarantees: a plain command is sent as it is, so that `--allow uname` permits `uname -a`; shell syntax runs in a shell.
import { expect, it } from 'vitest'
import { commandOf } from './command-line.ts'

it.each([
  ['uname -a', { command: 'uname', args: ['-a'] }],
  ['  ls   /tmp/a.b ', { command: 'ls', args: ['/tmp/a.b'] }],
  ['git log --format=%h', { command: 'git', args: ['log', '--format=%h'] }],
])('sends %j as a program with arguments', (line, command) => {
  expect(commandOf(line)).toEqual(command)
})

it.each([
  'ls | wc -l',
  'echo "a b"',
  'echo $HOME',
  'cd /tmp',
  'A=1 env',
  'ls *.ts',
  'a && b',
  'sleep 1 &',
  'ls ~',
  'a\nb',
])('sends %j to a shell', (line) => {
  expect(commandOf(line)).toEqual({ command: 'sh', args: ['-c', line] })
})
