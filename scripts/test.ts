// `npm test`: every test, the ten slowest files, and a closing line with the counts. Arguments select tests: a word
// (`npm test -- triggers`) selects files by path, `--changed` selects the tests for the changes since main.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { changedFiles, testsFor } from './changed-tests.ts'
import { importsOf } from './imports.ts'
import { root, sourceFiles } from './source-files.ts'

type FileReport = { name: string; startTime: number; endTime: number }
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

const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))
const reportFile = join(folder, 'report.json')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
// A selected feature may have no tests of its own.
const lenient = filters.length > 0 ? ['--passWithNoTests'] : []

const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...lenient, ...words, ...filters], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NO_COLOR: '1' },
})

const readReport = (): Report | null => {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  } catch {
    return null
  }
}

const report = readReport()
rmSync(folder, { recursive: true, force: true })
if (!report) {
  console.error('The test runner ended without a report')
  process.exit(status || 1)
}

const slowest = report.testResults
  .map(({ name, startTime, endTime }) => ({ name: relative(root, name), seconds: (endTime - startTime) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, 10)
if (report.testResults.length > 1) {
  console.log('\nThe slowest files, in seconds:')
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`)
}
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
// A file that fails to load has no failed test of its own, but the run still failed.
process.exit(status === 0 && report.success && (passed > 0 || lenient.length > 0) ? 0 : 1)
