// Guarantees: each shell loads its script and completes the commands of the CLI. A shell that is not installed is
// skipped.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../commands.ts'
import { completionScript, completionsOf, type ShellName } from './scripts.ts'

const script = (shell: ShellName): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'millrace-completion-')), 'script')
  writeFileSync(path, completionScript(shell, completionsOf(commands, [['tasks.run', "an app's run: it’s one"]])))
  return path
}
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const answerOf = (shell: string, program: string, options: string[] = []): string[] => {
  const { stdout, stderr, status } = spawnSync(shell, [...options, '-c', program], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim().split(/[ \n]/)
}

const cases: [words: string[], some: string[], none: string[]][] = [
  [[''], ['task', 'run', 'doctor', 'admin'], ['list']],
  [['ta'], ['task'], ['run']],
  [
    ['task', ''],
    ['list', 'cancel'],
    ['task', 'create'],
  ],
  [['task', 'list', '--st'], ['--status'], ['--json']],
  [['--json', 'task', 'li'], ['list'], []],
  [['--api', 'http://x', 'app', 'l'], ['list'], []],
  [['--jq', '.id', 'task', 'li'], ['list'], []],
  [['run', '--wa'], ['--wait'], []],
  [['api', 'tasks.'], ['tasks.run'], []],
]

test.runIf(has('bash')).each(cases)('bash after %j offers %j', (words, some, none) => {
  const typed = ['millrace', ...words].map((word) => `'${word}'`).join(' ')
  const program = `source ${script('bash')}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _millrace; echo "\${COMPREPLY[@]}"`
  const offered = answerOf('bash', program)
  for (const word of some) expect(offered).toContain(word)
  for (const word of none) expect(offered).not.toContain(word)
})

test.runIf(has('bash'))('bash after an address as bash itself cuts it', () => {
  for (const words of ["'--api' 'http' ':' '//x:7700' 'app' 'l'", "'--api' '=' 'http' ':' '//x' 'app' 'l'"]) {
    const count = words.split(' ').length
    const program = `source ${script('bash')}; COMP_WORDS=(millrace ${words}); COMP_CWORD=${count}; _millrace; echo "\${COMPREPLY[@]}"`
    expect(answerOf('bash', program)).toContain('list')
  }
})

test.runIf(has('fish')).each(cases)('fish after %j offers %j', (words, some, none) => {
  const typed = ['millrace', ...words].join(' ')
  const program = `source ${script('fish')}; complete -C '${typed}' | string replace -r '\t.*' ''`
  const offered = answerOf('fish', program, ['--no-config'])
  for (const word of some) expect(offered).toContain(word)
  for (const word of none) expect(offered).not.toContain(word)
})

/** The completions of an interactive zsh for each line, after the setup `load`. They are read from calls of compadd. */
const offeredByZsh = (folder: string, load: string, lines: readonly string[]): Map<string, string[]> => {
  const offers = join(folder, 'offers')
  writeFileSync(offers, '')
  writeFileSync(
    join(folder, '.zshrc'),
    `${load}
setopt no_auto_list no_beep
compadd() {
  local -a hits
  if [[ \${@[1,(i)(-|--)]} == *-[OAD]* ]]; then builtin compadd "$@"; return; fi
  builtin compadd -A hits "$@"
  print -r -- "$typed\t$hits" >> ${offers}
  builtin compadd "$@"
}
zle-line-init() {
  for typed in ${lines.map((line) => `'${line}'`).join(' ')}; do
    BUFFER=$typed CURSOR=$#typed
    zle complete-word
  done
  exit
}
zle -N zle-line-init
`,
  )
  const program = 'zmodload zsh/zpty && zpty shell zsh -d -i && while zpty -r shell line; do :; done'
  spawnSync('zsh', ['-f', '-c', program], { env: { ...process.env, ZDOTDIR: folder, TERM: 'xterm' } })
  return new Map(
    readFileSync(offers, 'utf8')
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([typed = '', hits = '']) => [typed, hits.split(' ')]),
  )
}

const zshSetUps: [string, (path: string) => string][] = [
  ['read at its start', (path) => `autoload -Uz compinit && compinit -D -u; source ${path}`],
  [
    'in a folder of its functions',
    (path) => `fpath=(${dirname(path)} $fpath); autoload -Uz compinit && compinit -D -u`,
  ],
]

test.runIf(has('zsh')).each(zshSetUps)('zsh, the script %s, offers the same', (_claim, load) => {
  const read = script('zsh')
  const path = join(dirname(read), '_millrace')
  renameSync(read, path)
  const lineOf = (words: readonly string[]) => ['millrace', ...words].join(' ')
  const offered = offeredByZsh(
    dirname(path),
    load(path),
    cases.map(([words]) => lineOf(words)),
  )
  for (const [words, some, none] of cases) {
    const hits = offered.get(lineOf(words)) ?? []
    expect(hits, lineOf(words)).toEqual(expect.arrayContaining(some))
    for (const word of none) expect(hits, lineOf(words)).not.toContain(word)
  }
})
