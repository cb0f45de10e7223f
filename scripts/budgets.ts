// Length budgets: a file should be readable in one sitting, a function on one screen. A function has one budget for its
// own lines and one that includes its nested functions.
import { parseAst } from 'vitest/node'
import { longClosures, longFiles, longFunctions } from './exceptions.ts'
import { conclude, judge, readSource, sourceFiles } from './source-files.ts'

const maxFileLines = 300
const maxFunctionLines = 45
/** Markup is long without being complex. */
const maxComponentLines = 120
/** With nested functions, which share the variables of the outer one. A table of tests is long without being complex. */
const maxClosureLines = 120
const maxComponentClosureLines = 150
const isTable = (path: string): boolean => /\.test\.tsx?$|\/testing\/|^e2e\/|^bench\//.test(path)

type Node = { type: string; start: number; end: number; [key: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const functionTypes = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])

/** The name for reports: of the variable, the property or the function itself. */
const nameOf = (node: Node, around: string): string => {
  const holder = node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration' ? node.id : node.key
  return isNode(holder) && typeof holder.name === 'string' ? holder.name : around
}

type Measured = { name: string; lines: number; whole: number }

const measure = (text: string, program: Node): Measured[] => {
  const found: Measured[] = []
  const linesBetween = (start: number, end: number): number => text.slice(start, end).split('\n').length
  /** Returns the lines of directly nested functions, which are measured on the way. */
  const visit = (value: unknown, around: string): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + visit(item, around), 0)
    if (!isNode(value)) return 0
    const name = nameOf(value, around)
    const inner = Object.values(value).reduce((sum: number, child) => sum + visit(child, name), 0)
    if (!functionTypes.has(value.type)) return inner
    const lines = linesBetween(value.start, value.end)
    found.push({ name, lines: lines - inner, whole: lines })
    // A function on one line counts as part of the surrounding code.
    return lines > 1 ? lines : 0
  }
  visit(program, '(top)')
  return found
}

const files = sourceFiles('packages', 'scripts', 'bench', 'apps', 'e2e')
const tooLong = new Map<string, string>()
const tooLongFunctions = new Map<string, string>()
const tooLongClosures = new Map<string, string>()
for (const path of files) {
  const text = readSource(path)
  const lines = text.trimEnd().split('\n').length
  if (lines > maxFileLines) tooLong.set(path, `${path} has ${lines} lines; the budget is ${maxFileLines}`)
  const lang = path.endsWith('x') ? 'tsx' : 'ts'
  const budget = lang === 'tsx' ? maxComponentLines : maxFunctionLines
  const wholeBudget = lang === 'tsx' ? maxComponentClosureLines : maxClosureLines
  for (const one of measure(text, parseAst(text, { lang }) as unknown as Node)) {
    if (one.whole > wholeBudget && !isTable(path))
      tooLongClosures.set(
        `${path}#${one.name}`,
        `${path}: ${one.name} has ${one.whole} lines with its nested functions; the budget is ${wholeBudget}`,
      )
    if (one.lines > budget)
      tooLongFunctions.set(
        `${path}#${one.name}`,
        `${path}: ${one.name} has ${one.lines} lines of its own; the budget is ${budget}`,
      )
  }
}
conclude(
  [...judge(tooLong, longFiles), ...judge(tooLongFunctions, longFunctions), ...judge(tooLongClosures, longClosures)],
  `${files.length} files, ${tooLong.size} over ${maxFileLines} lines, ${tooLongFunctions.size} functions over budget, ${tooLongClosures.size} with their closures, all with a reason`,
)
