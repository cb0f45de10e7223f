// Progress of an installer for the build log: large downloads in steps of ten percent, packages as they arrive. Pure.

/** Makes npm print the packages that it downloads. */
export const npmProgress = '--loglevel=http'

const rawProgressSince = [24, 1]

/** Since 24.1, pip prints the progress of a download as text. The version is read from the environment. */
export const pipProgress = (installed: readonly string[]): string[] => {
  const [, major = '0', minor = '0'] =
    installed.map((name) => /^pip-(\d+)\.(\d+)/.exec(name)).find((found) => found !== null) ?? []
  const [sinceMajor = 0, sinceMinor = 0] = rawProgressSince
  const counts = Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor)
  return counts ? ['--progress-bar', 'raw'] : []
}

const everyPackages = 10

/** Converts a line of the installer to a progress message, or undefined. The counter belongs to one installation. */
export const createProgressReporter = (): ((line: string) => string | undefined) => {
  let fetched = 0
  let reportedTenth = 0
  return (line) => {
    const bytes = /^Progress (\d+) of (\d+)$/.exec(line)
    if (bytes) {
      const [done, all] = [Number(bytes[1]), Number(bytes[2])]
      const tenth = all === 0 ? 10 : Math.floor((done / all) * 10)
      if (tenth < reportedTenth) reportedTenth = 0
      if (tenth === reportedTenth) return undefined
      reportedTenth = tenth
      return `${tenth * 10} % of ${(all / 1e6).toFixed(1)} MB`
    }
    if (!line.startsWith('npm http ')) return line
    if (!/\.tgz\b/.test(line)) return undefined
    fetched += 1
    if (fetched !== 1 && fetched % everyPackages !== 0) return undefined
    return `npm has fetched ${fetched} ${fetched === 1 ? 'package' : 'packages'}`
  }
}
