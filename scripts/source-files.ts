// The source files that the checks read, and the shape of a list of exceptions.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Programs and libraries, without tests, test helpers and generated files. */
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

/** Maps an accepted violation to its reason. */
export type Exceptions = Readonly<Record<string, string>>

/** Lists violations without an exception, and exceptions without a violation, so that the list only shrinks. */
export const judge = (
  violations: ReadonlyMap<string, string>,
  exceptions: Exceptions,
  list = 'scripts/exceptions.ts',
): string[] => [
  ...[...violations].flatMap(([name, what]) =>
    name in exceptions ? [] : [`${what} (or give the reason in ${list} under '${name}')`],
  ),
  ...Object.keys(exceptions).flatMap((name) =>
    violations.has(name) ? [] : [`${name} no longer needs its exception: remove it`],
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
