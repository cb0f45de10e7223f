// Builds completion scripts for shells from the list of commands. Pure.
import type { Command } from '../command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type ShellName = (typeof shells)[number]

type Completions = {
  /** The words before the completed one, without options: '', 'task', 'task list'. */
  readonly path: string
  readonly candidates: readonly (readonly [word: string, meaning: string])[]
}

const nameOf = ({ words }: Command): string =>
  words
    .split(' ')
    .filter((word) => /^[a-z]/.test(word))
    .join(' ')

/** Both flags of `-f, --follow`; `--no-browser` unchanged. */
const flagsOf = ({ options = [] }: Command): [string, string][] =>
  options.flatMap(([flags, meaning]) =>
    [...flags.matchAll(/--?[a-z][a-z-]*/g)].map(([one]): [string, string] => [one, meaning]),
  )

const common: readonly (readonly [string, string])[] = [
  ['--json', 'print JSON'],
  ['--jq', 'filter the JSON with jq'],
  ['--api', 'address of the server'],
  ['--help', 'show help'],
]

/** Common options with a value, accepted everywhere. */
const valued = ['--jq', '--api']

/** The candidates after each sequence of words. `operations` are the names for `api`. */
export const completionsOf = (
  commands: readonly Command[],
  operations: readonly (readonly [string, string])[],
): Completions[] => {
  const names = commands.map(nameOf)
  const groups = [...new Set(names.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0] ?? ''))]
  const top: [string, string][] = [
    ...groups.map((group): [string, string] => [group, `${group} …`]),
    ...commands
      .filter((command) => !nameOf(command).includes(' '))
      .map((c): [string, string] => [nameOf(c), c.summary]),
    ['admin', 'operator commands'],
  ]
  return [
    { path: '', candidates: top },
    ...groups.map((group) => ({
      path: group,
      candidates: commands
        .filter((command) => nameOf(command).startsWith(`${group} `))
        .map((command): [string, string] => [nameOf(command).slice(group.length + 1), command.summary]),
    })),
    ...commands.map((command) => ({
      path: nameOf(command),
      candidates: [...(nameOf(command) === 'api' ? operations : []), ...flagsOf(command), ...common],
    })),
  ]
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Both shells look up the longest known path of at most two words. */
const bash = (places: readonly Completions[]): string => `_millrace() {
  local word value= path=() i current="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # Bash cuts words at : and =, those of an address too.
    while ((i + 2 < COMP_CWORD)) && [[ \${COMP_WORDS[i + 1]} == [:=]* ]]; do
      word+="\${COMP_WORDS[i + 1]}\${COMP_WORDS[i + 2]}"
      ((i += 2))
    done
    if [[ $value ]]; then value=; continue; fi
    case "$word" in ${valued.join('|')}) value=1 ;; esac
    [[ $word != -* && \${#path[@]} -lt 2 ]] && path+=("$word")
  done
  local candidates
  _millrace_candidates "\${path[*]}" || _millrace_candidates "\${path[0]}" || return
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
_millrace_candidates() {
  case "$1" in
${places.map(({ path, candidates }) => `    ${quoted(path)}) candidates=${quoted(candidates.map(([word]) => word).join(' '))} ;;`).join('\n')}
    *) return 1 ;;
  esac
}
complete -o default -F _millrace millrace
`

const zsh = (places: readonly Completions[]): string => `#compdef millrace
_millrace() {
  local word value=
  local -a path_words candidates
  for word in \${words[2,CURRENT-1]}; do
    if [[ -n $value ]]; then value=; continue; fi
    case "$word" in ${valued.join('|')}) value=1 ;; esac
    [[ $word != -* && \${#path_words} -lt 2 ]] && path_words+=("$word")
  done
  _millrace_candidates "\${(j: :)path_words}" || _millrace_candidates "\${path_words[1]}" || return
  _describe 'millrace' candidates || _files
}
_millrace_candidates() {
  case "$1" in
${places
  .map(({ path, candidates }) => {
    const entries = candidates.map(([word, meaning]) => quoted(`${word.replaceAll(':', '\\:')}:${meaning}`))
    return `    ${quoted(path)}) candidates=(${entries.join(' ')}) ;;`
  })
  .join('\n')}
    *) return 1 ;;
  esac
}
# In a folder of $fpath, zsh runs this file as the completion function; otherwise the file is sourced.
if [[ $funcstack[1] == _millrace ]]; then _millrace "$@"; else compdef _millrace millrace; fi
`

const fish = (places: readonly Completions[]): string => `function __millrace_at
  set -l path
  set -l value
  for word in (commandline -opc)[2..-1]
    if set -q value[1]
      set -e value
      continue
    end
    contains -- $word ${valued.join(' ')}; and set value 1
    string match -q -- '-*' $word; or set -a path $word
  end
  test "$argv[1]" = "$path[1..2]"; or begin
    test "$argv[1]" = "$path[1]"; and not contains -- "$path[1..2]" ${places.map(({ path }) => quoted(path)).join(' ')}
  end
end
complete -c millrace -e
${places
  .filter(({ candidates }) => candidates.every(([word]) => !word.startsWith('-')))
  .map(({ path }) => `complete -c millrace -f -n ${quoted(`__millrace_at ${quoted(path)}`)}`)
  .join('\n')}
${places
  .flatMap(({ path, candidates }) =>
    candidates.map(
      ([word, meaning]) =>
        `complete -c millrace -n ${quoted(`__millrace_at ${quoted(path)}`)} -a ${quoted(word)} -d ${quoted(meaning)}`,
    ),
  )
  .join('\n')}
`

const writers: Readonly<Record<ShellName, (places: readonly Completions[]) => string>> = { bash, zsh, fish }

export const completionScript = (shell: ShellName, places: readonly Completions[]): string => writers[shell](places)
