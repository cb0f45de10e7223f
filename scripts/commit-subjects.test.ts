// Guarantees: a subject of 73 characters on the branch is reported, older commits are not, and a folder without git is skipped.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkSubjects } from './commit-subjects.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subjects-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })

const commit = (subject: string): void => {
  git('commit', '--quiet', '--allow-empty', '-m', subject)
}

it('reports the long subjects of a branch and not those of main', () => {
  git('init', '--quiet', '-b', 'main')
  commit('a'.repeat(100))
  git('checkout', '--quiet', '-b', 'topic')
  commit('b'.repeat(72))
  commit('c'.repeat(73))
  const result = checkSubjects(folder)
  expect(result?.checked).toBe(2)
  expect(result?.tooLong).toEqual([expect.stringMatching(/ c{73}$/)])
})

it('skips a folder that is no repository', () => {
  expect(checkSubjects(folder)).toBeUndefined()
})
