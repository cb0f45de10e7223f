// Guarantees: installing an app's packages runs nothing outside the sandbox, ignores configuration in the bundle, and
// uses no file of the bundle as part of an installer.

import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { chooseRuntime, findProgram } from '../runtimes/choose.ts'
import { startWorld, type World } from '../testing/world.ts'
import { containsCredentials, indexHosts } from './installer-settings.ts'

const hostEnv = { PATH: process.env.PATH ?? '' }
const runtimes = (['process', 'bubblewrap'] as const).map((runtime) => {
  try {
    chooseRuntime({ setting: runtime, limitWatch: createLimitWatch(), readOnly: [], hostEnv })
    return { runtime, available: true }
  } catch {
    return { runtime, available: false }
  }
})
const hasPython = findProgram('python3', hostEnv) !== undefined

// Nothing is downloaded: all packages of the apps are in their bundles or unavailable.
const env = { npm_config_registry: 'http://127.0.0.1:9/', PIP_INDEX_URL: 'http://127.0.0.1:9/simple' }

describe.each(runtimes)('installing with the $runtime runtime', ({ runtime, available }) => {
  let world: World
  let root: string
  let mark: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-install-'))
    mark = join(root, 'reached')
    world = await startWorld({
      settings: { runtime: available ? runtime : 'process', packages_limit_mb: 100 },
      env: { ...env, HOME: root },
    })
  })
  afterAll(async () => {
    await world.close()
    await rm(root, { recursive: true, force: true })
  })

  test.skipIf(!available || !hasPython)('[E38] files of the bundle named like parts of pip are not run', async () => {
    const evil = `open(${JSON.stringify(mark)}, 'w').write('x')\n`
    const names = ['venv', 'pip', 'ensurepip', 'sitecustomize', 'usercustomize', 'os', 'subprocess', 'runpy']
    const app = world.app(
      {
        ...Object.fromEntries(names.flatMap((name) => [[`${name}.py`, evil]])),
        'pip/__init__.py': evil,
        '.venv/bin/python': `#!/bin/sh\ntouch ${mark}\n`,
        'requirements.txt': 'nothing-of-this-name==1\n',
        'inference.py': 'class App:\n  def run(self, input): pass\n',
      },
      'python-3.11',
    )
    expect((await world.run(app).end).error).toMatch(/^the packages of this app could not be installed/)
    expect(existsSync(mark)).toBe(false)
  })

  test.skipIf(!available)('[E38] npm reads no settings from the bundle', async () => {
    const evil = `#!/bin/sh\ntouch ${mark}\nexit 1\n`
    const app = world.app({
      '.npmrc': 'git=./evil.sh\nscript-shell=./evil.sh\nregistry=http://127.0.0.1:8/\n',
      'evil.sh': evil,
      'package.json': JSON.stringify({ dependencies: { x: 'git+https://127.0.0.1:9/x.git' } }),
      'inference.js': 'export class App { run() {} }',
    })
    expect((await world.run(app).end).error).toMatch(/^the packages of this app could not be installed/)
    expect(existsSync(mark)).toBe(false)
  })

  test.skipIf(!available)('[E38] install scripts run in the sandbox of the app', async () => {
    await writeFile(join(root, 'secret'), 'of the host')
    const look = `node -e "require('fs').writeFileSync('seen', String(require('fs').existsSync('${root}/secret')))"`
    const app = world.app({
      'package.json': JSON.stringify({
        type: 'module',
        scripts: { postinstall: look },
        dependencies: { local: 'file:./local' },
      }),
      'local/package.json': JSON.stringify({ name: 'local', version: '1.0.0' }),
      'inference.js': `import { readFileSync } from 'node:fs'
        export class App { run() { return readFileSync(new URL('./seen', import.meta.url), 'utf8') } }`,
    })
    const end = await world.run(app).end
    expect(end.error).toBeUndefined()
    expect(end.output).toBe(String(runtime === 'process'))
  })

  test.skipIf(!available)(
    '[E38] what is installed has a bound on the disk, and leaves nothing behind beyond it',
    async () => {
      const app = world.app({
        'package.json': JSON.stringify({
          type: 'module',
          scripts: { postinstall: 'head -c 120000000 /dev/zero > much' },
          dependencies: { local: 'file:./local' },
        }),
        'local/package.json': JSON.stringify({ name: 'local', version: '1.0.0' }),
        'inference.js': 'export class App { run() { return 1 } }',
      })
      expect((await world.run(app).end).error).toBe(
        'the packages of this app could not be installed: disk limit of 100 MB exceeded',
      )
      expect(existsSync(join(world.config.cachePath, 'bundles', app.checksum, 'code'))).toBe(false)
    },
  )
})

test('the operator’s settings define the index hosts and whether they contain credentials', () => {
  expect(
    indexHosts({ npm_config_registry: 'https://npm.corp/x', PIP_EXTRA_INDEX_URL: 'http://10.1.1.1/a http://b/c' }),
  ).toEqual(['npm.corp', '10.1.1.1', 'b'])
  expect(
    containsCredentials({ PATH: '/bin', npm_config_registry: 'https://npm.corp', PIP_INDEX_URL: 'http://b/' }),
  ).toBe(false)
  const secrets: Record<string, string>[] = [
    { PIP_INDEX_URL: 'https://me:word@b/' },
    { 'npm_config_//npm.corp/:_authToken': 'x' },
    { HTTPS_PROXY: 'http://me:word@proxy' },
  ]
  for (const secret of secrets) expect(containsCredentials(secret)).toBe(true)
})
