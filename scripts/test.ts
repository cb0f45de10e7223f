// `npm test`: every test, and a closing line with the counts. Extra arguments narrow the run to some files.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Report = { numPassedTests: number; numFailedTests: number; numPendingTests: number; success: boolean }

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))
const reportFile = join(folder, 'report.json')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')

const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, NO_COLOR: '1' } },
)

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
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
// A file that fails to load has no failed test of its own, but the run still failed.
process.exit(status === 0 && report.success && passed > 0 ? 0 : 1)
