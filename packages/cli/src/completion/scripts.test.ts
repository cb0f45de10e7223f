// Guards: the scripts are read by the shells they are for and offer what the command line has. A shell that is not
// installed is skipped.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../commands.ts'
import { completionScript, placesOf, type ShellName } from './scripts.ts'

const script = (shell: ShellName): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'millrace-completion-')), 'script')
  writeFileSync(path, completionScript(shell, placesOf(commands, [['tasks.run', "an app's run: it’s one"]])))
  return path
}
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const answerOf = (shell: string, program: string): string[] => {
  const { stdout, stderr, status } = spawnSync(shell, ['-c', program], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim().split(/[ \n]/)
}

const cases: [words: string[], some: string[], none: string[]][] = [
  [[''], ['task', 'run', 'doctor', 'admin'], ['list']],
  [['ta'], ['task'], ['run']],
  [
    ['task', ''],
    ['list', 'cancel'],
    ['task', 'set'],
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
  const offered = answerOf('fish', `source ${script('fish')}; complete -C '${typed}' | string replace -r '\t.*' ''`)
  for (const word of some) expect(offered).toContain(word)
  for (const word of none) expect(offered).not.toContain(word)
})

test.runIf(has('zsh'))('zsh reads its script', () => {
  expect(spawnSync('zsh', ['-n', script('zsh')]).status).toBe(0)
  const program = `compdef() {}; source ${script('zsh')}; local -a candidates; _millrace_candidates 'task list'; print -rl -- $candidates`
  expect(answerOf('zsh', program).join(' ')).toContain('--status:')
})
