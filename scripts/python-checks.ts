// Type-checks and lints the Python runner with mypy and pyflakes. A tool that no Python on this machine has is reported
// and skipped (Debian: python3-mypy, python3-pyflakes).
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './source-files.ts'

type Tool = { readonly name: string; readonly args: readonly string[] }

const folder = join(root, 'packages/engine/runner/python')
const tools: readonly Tool[] = [
  { name: 'mypy', args: ['--strict', '--no-incremental', 'main.py', 'millrace_runner'] },
  { name: 'pyflakes', args: ['main.py', 'millrace_app.py', 'millrace_runner', 'provided'] },
]

const run = (program: string, args: readonly string[]) =>
  spawnSync(program, ['-m', ...args], { cwd: folder, encoding: 'utf8' })

/** The first interpreter that has the tool: the one in PATH, or that of the system, which has Debian's packages. */
const interpreterWith = (tool: string, programs: readonly string[]): string | undefined =>
  programs.find((program) => run(program, [tool, '--version']).status === 0)

/** Output of a tool that found problems; `skipped` when the tool is missing. */
export const checkPython = (
  { name, args }: Tool,
  programs: readonly string[] = ['python3', '/usr/bin/python3'],
): { readonly skipped: boolean; readonly problems: string } => {
  const program = interpreterWith(name, programs)
  if (program === undefined) return { skipped: true, problems: '' }
  const { status, stdout, stderr } = run(program, [name, ...args])
  return { skipped: false, problems: status === 0 ? '' : stdout + stderr }
}

const main = (): void => {
  for (const tool of tools) {
    const { skipped, problems } = checkPython(tool)
    if (skipped) console.log(`  skipped: no Python on this machine has ${tool.name}`)
    if (problems !== '') {
      console.error(problems)
      process.exitCode = 1
    }
  }
}

if (import.meta.main) main()
