// The source files that the checks look at, and the shape of a list of exceptions.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Programs and libraries; tests, what supports them, and generated files are measured by nobody. */
const isSource = (path: string): boolean =>
  /\.(ts|tsx|mjs)$/.test(path) && !/\.test\.tsx?$|\/testing\/|\.gen\.ts$|\.d\.ts$|\/node_modules\/|\/dist\//.test(path)

export const sourceFiles = (...folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path.replaceAll('\\', '/')}`,
      ),
    )
    .filter(isSource)
    .sort()

export const readSource = (path: string): string => readFileSync(join(root, path), 'utf8')

/** What breaks a rule for a reason that somebody wrote down. */
export type Exceptions = Readonly<Record<string, string>>

/** Offences without an exception, and exceptions without an offence: a list of excuses must not outlive its reasons. */
export const judge = (offences: ReadonlyMap<string, string>, exceptions: Exceptions): string[] => [
  ...[...offences].flatMap(([name, what]) =>
    name in exceptions ? [] : [`${what} (or say why in scripts/exceptions.ts under '${name}')`],
  ),
  ...Object.keys(exceptions).flatMap((name) =>
    offences.has(name) ? [] : [`${name} needs no exception any more: take it out of the list`],
  ),
]

/** Prints every problem and fails, or one line of figures. */
export const conclude = (problems: readonly string[], summary: string): void => {
  if (problems.length > 0) {
    console.error(problems.join('\n'))
    process.exitCode = 1
    return
  }
  console.log(`  ${summary}`)
}
