// `npm test`: every test, the ten slowest files, and a closing line with the counts. Arguments select tests: a word
// (`npm test -- triggers`) selects files by path, `--changed` selects the tests for the changes since main.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { changedFiles, testsFor } from './changed-tests.ts'
import { importsOf } from './imports.ts'
import { root, sourceFiles } from './source-files.ts'

type FileReport = { name: string; status: string; startTime: number; endTime: number }
type Report = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  success: boolean
  testResults: FileReport[]
}

const words = process.argv.slice(2).filter((word) => word !== '--changed')
const filters: string[] = []
if (process.argv.includes('--changed')) {
  const asked = testsFor(changedFiles(), sourceFiles('packages', 'e2e').flatMap(importsOf))
  if (!asked.everything && asked.filters.length === 0) {
    console.log('No test depends on the changes')
    process.exit(0)
  }
  console.log(asked.everything ? 'The foundations have changed: every test runs' : asked.filters.join('\n'))
  filters.push(...asked.filters)
}

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
// A selected feature may have no tests of its own.
const lenient = filters.length > 0 ? ['--passWithNoTests'] : []

/** Null when the test runner ended without a report. */
const runTests = (args: readonly string[]): Report | null => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))
  const reportFile = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NO_COLOR: '1' },
  })
  try {
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
    return { ...report, success: report.success && status === 0 }
  } catch {
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const endWithoutReport = (): never => {
  console.error('The test runner ended without a report')
  process.exit(1)
}

/** More failures than this have a common cause, and a second attempt only takes time. */
const maxRepeatedFiles = 8

const report = runTests([...lenient, ...words, ...filters]) ?? endWithoutReport()
const failedFiles = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)

if (report.testResults.length > 1) {
  const slowest = report.testResults
    .map(({ name, startTime, endTime }) => ({ name: relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
  console.log('\nThe slowest files, in seconds:')
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
}

// Decision 0150: the second attempt is alone on the machine, and the last line says that it was needed.
const isRepeated = process.env.CI !== undefined && failedFiles.length > 0 && failedFiles.length <= maxRepeatedFiles
const second = isRepeated ? (runTests(['--no-file-parallelism', ...failedFiles]) ?? endWithoutReport()) : null

const { numPassedTests, numFailedTests, numPendingTests: skipped } = report
const failed = second ? second.numFailedTests : numFailedTests
const recovered = numFailedTests - failed
console.log(
  `\n${numPassedTests + recovered} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}` +
    (second ? `; second attempt: ${failedFiles.map((name) => relative(root, name)).join(', ')}` : ''),
)
// A file that fails to load has no failed test of its own, but the run still failed.
process.exit((second ?? report).success && (numPassedTests > 0 || lenient.length > 0) ? 0 : 1)
