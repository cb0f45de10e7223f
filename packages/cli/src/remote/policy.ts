// What this machine lets be run here, whatever the server says. Pure.

export type Policy = {
  readonly exec: boolean
  /** Beginnings of commands; none: every command. */
  readonly allow: readonly string[]
}

/** `git` lets `git` and `git status` pass, not `gitk`; `git*` all three. */
const matches = (prefix: string, line: string): boolean =>
  prefix.endsWith('*') ? line.startsWith(prefix.slice(0, -1)) : line === prefix || line.startsWith(`${prefix} `)

/** Why the command is not run; null when it may. */
export const refusalOf = ({ exec, allow }: Policy, { command, args }: { command: string; args: readonly string[] }) => {
  if (!exec) return 'refused by the remote: commands are switched off there (millrace remote start --exec)'
  const line = [command, ...args].join(' ')
  if (allow.length > 0 && !allow.some((prefix) => matches(prefix, line)))
    return 'refused by the remote: the command is not on its list (--allow)'
  return null
}
