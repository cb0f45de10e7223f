// Decides which commands this machine runs. Pure.

export type Policy = {
  readonly exec: boolean
  /** Accepted beginnings of commands; empty accepts every command. */
  readonly allow: readonly string[]
}

/** `git` accepts `git` and `git status` but not `gitk`; `git*` accepts all three. */
const matches = (prefix: string, line: string): boolean =>
  prefix.endsWith('*') ? line.startsWith(prefix.slice(0, -1)) : line === prefix || line.startsWith(`${prefix} `)

/** The reason to refuse a command, or null. */
export const refusalOf = ({ exec, allow }: Policy, { command, args }: { command: string; args: readonly string[] }) => {
  if (!exec) return 'refused by the remote: commands are disabled (millrace remote start --exec)'
  const line = [command, ...args].join(' ')
  if (allow.length > 0 && !allow.some((prefix) => matches(prefix, line)))
    return 'refused by the remote: the command is not on its list (--allow)'
  return null
}
