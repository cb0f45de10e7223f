// What an installer says, for people who wait: bytes of a large download by tenths, packages as they arrive. Pure.

/** What npm is told so that it names what it fetches. */
export const npmProgress = '--loglevel=http'

const rawProgressSince = [24, 1]

/** pip counts the bytes of a download for a log since 24.1; what is in the environment says which one it is. */
export const pipProgress = (installed: readonly string[]): string[] => {
  const [, major = '0', minor = '0'] =
    installed.map((name) => /^pip-(\d+)\.(\d+)/.exec(name)).find((found) => found !== null) ?? []
  const [sinceMajor = 0, sinceMinor = 0] = rawProgressSince
  const counts = Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor)
  return counts ? ['--progress-bar', 'raw'] : []
}

const everyPackages = 10

/** A line of the installer as it is told, or nothing. Keeps count, so each installation has its own. */
export const tellProgress = (): ((line: string) => string | undefined) => {
  let fetched = 0
  let toldTenth = 0
  return (line) => {
    const bytes = /^Progress (\d+) of (\d+)$/.exec(line)
    if (bytes) {
      const [done, all] = [Number(bytes[1]), Number(bytes[2])]
      const tenth = all === 0 ? 10 : Math.floor((done / all) * 10)
      if (tenth < toldTenth) toldTenth = 0
      if (tenth === toldTenth) return undefined
      toldTenth = tenth
      return `${tenth * 10} % of ${(all / 1e6).toFixed(1)} MB`
    }
    if (!line.startsWith('npm http ')) return line
    if (!/\.tgz\b/.test(line)) return undefined
    fetched += 1
    if (fetched !== 1 && fetched % everyPackages !== 0) return undefined
    return `npm has fetched ${fetched} ${fetched === 1 ? 'package' : 'packages'}`
  }
}
