// A real browser from npm that only needs the C library of Node itself. On systems that the package does not support,
// the browser in CHROME_PATH or an installed one is used; without any, browser tests are skipped.
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../..', import.meta.url))
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

const isInPackage = process.platform === 'linux' && process.arch === 'x64'

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const installedBrowser = (): string | undefined => {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter)
  const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), chrome].find(isProgram)
}

const otherBrowser = process.env.CHROME_PATH ?? (isInPackage ? undefined : installedBrowser())

export const hasBrowser = isInPackage || otherBrowser !== undefined

export const launchBrowser = async (): Promise<Browser> => {
  if (otherBrowser !== undefined) return chromium.launch({ executablePath: otherBrowser, args })
  if (!isInPackage) throw new Error('No Chrome or Chromium is installed, and CHROME_PATH names none')
  const folder = await unpackedBrowser()
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args,
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  })
}

/** A fresh folder for screenshots. */
export const screenshotFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'millrace-screenshots-'))

const unpackedBrowser = async (): Promise<string> => {
  const manifest = join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json')
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const folder = join(root, 'node_modules', '.cache', `chromium-${version}`)
  if (await exists(join(folder, 'chromium'))) return folder
  // Test files run concurrently: each unpacks into its own folder, and the first to finish renames it.
  await mkdir(dirname(folder), { recursive: true })
  const staging = await mkdtemp(`${folder}.`)
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('unpack-browser.ts', import.meta.url))], {
    env: { ...process.env, TMPDIR: staging },
  })
  await writeFile(join(staging, 'fonts', 'fonts.conf'), fontConfiguration(join(folder, 'fonts')))
  await rename(staging, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(staging, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return folder
}

/** The package's own file contains the paths of a cloud function. */
const fontConfiguration = (folder: string): string =>
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>\n`

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
