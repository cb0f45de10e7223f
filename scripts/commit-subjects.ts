// Rejects commit subjects of more than 72 characters. Checks the commits after the last one written before this rule, or
// since the branch left main where the history no longer contains that commit. Skips without git or without history.
import { spawnSync } from 'node:child_process'
import { root } from './source-files.ts'

export const maxSubjectLength = 72

/** The last commit before the rule. */
const lastUnchecked = '8df94afdcef3bcfd84b8e6bfcef5fc99f565e8c3'

const git = (cwd: string, ...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const firstUnchecked = (cwd: string): string | undefined => {
  if (git(cwd, 'merge-base', '--is-ancestor', lastUnchecked, 'HEAD') !== undefined) return lastUnchecked
  return git(cwd, 'merge-base', 'HEAD', 'origin/main') ?? git(cwd, 'merge-base', 'HEAD', 'main')
}

export type SubjectCheck = { readonly checked: number; readonly tooLong: readonly string[] } | undefined

/** Undefined where there is nothing to compare with: no git, no repository, or a history that is cut off. */
export const checkSubjects = (cwd: string, base = firstUnchecked(cwd)): SubjectCheck => {
  const log = base === undefined ? undefined : git(cwd, 'log', '--no-merges', '--format=%h %s', `${base}..HEAD`)
  if (log === undefined) return undefined
  const commits = log.split('\n').filter(Boolean)
  const subjectLength = (commit: string): number => [...commit.slice(commit.indexOf(' ') + 1)].length
  return { checked: commits.length, tooLong: commits.filter((commit) => subjectLength(commit) > maxSubjectLength) }
}

const main = (): void => {
  const result = checkSubjects(root)
  if (result === undefined) {
    console.log('  skipped: no git history to compare with')
    return
  }
  for (const commit of result.tooLong)
    console.error(`${commit}\n  the subject has more than ${maxSubjectLength} characters`)
  if (result.tooLong.length > 0) process.exitCode = 1
  else console.log(`  ${result.checked} commits`)
}

if (import.meta.main) main()
