// Splits a typed command line into a program and its arguments, so that allow rules apply to the program. Pure.

/** Characters that only a shell understands, quotes included. */
const needsShell = /[^\w\s@%+:,./=-]|\n|^\s*\w+=/

/** Commands of the shell itself, which are no programs. */
const builtins = new Set(
  '. alias bg cd eval exec exit export fg jobs read set shift source trap type ulimit umask unset wait'.split(' '),
)

export type CommandLine = { command: string; args: string[] }

/** Lines with shell syntax run in a shell. */
export const commandOf = (line: string): CommandLine => {
  const [command = '', ...args] = line.trim().split(/\s+/)
  return needsShell.test(line) || builtins.has(command) ? { command: 'sh', args: ['-c', line] } : { command, args }
}
