// From a folder to a version of an app: read, discover, zip, upload, register.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { App } from '@millrace/contract/apps'
import { deployBody } from '@millrace/contract/deploy-body'
import { discoverSchema } from '@millrace/engine/discover'
import { hostEnvironment } from '@millrace/engine/main'
import { type Command, flag } from '../command.ts'
import { bundleFiles, schemaFiles, writeBundle } from '../deploy/bundle.ts'
import { readManifest } from '../deploy/manifest.ts'
import { CliFailure } from '../failures.ts'
import { uploadFile } from '../files/upload.ts'

const deploy: Command = {
  words: 'deploy [folder]',
  summary: 'Deploy the app of a folder as a new version',
  options: [['--staged', 'register the version without making it the active one']],
  example: 'millrace deploy\nmillrace deploy ./my-app --staged --json',
  run: async ({ api: signedIn, shell, json }, [given = '.'], options) => {
    const api = signedIn()
    const folder = resolve(shell.cwd, given)
    const say = (line: string) => {
      if (!json) shell.err(`${line}\n`)
    }
    const manifest = await readManifest(folder)
    say(`Reading the schemas of ${manifest.name}`)
    const lines: string[] = []
    const discovered = await discoverSchema({
      folder,
      kernel: manifest.kernel,
      env: hostEnvironment(shell.env),
      onLine: (line) => lines.push(line),
    }).catch((error: unknown) => {
      throw new CliFailure(`The app could not be loaded: ${(error as Error).message}`, {
        code: 'discovery_failed',
        details: lines.slice(-20),
      })
    })
    if (Object.keys(discovered.functions).length === 0)
      throw new CliFailure('The app has no functions: its class App needs a public method', {
        code: 'discovery_failed',
      })

    const scratch = await mkdtemp(join(tmpdir(), 'millrace-deploy-'))
    try {
      const bundle = join(scratch, `${manifest.name}.zip`)
      const files = await bundleFiles(folder)
      await writeBundle(files, schemaFiles(discovered, manifest.default_function ?? 'run'), bundle)
      say(`Uploading ${files.length} files`)
      const { uri } = await uploadFile(api, bundle, { category: 'apps' })
      const staged = flag(options, 'staged')
      const app = await api.post<App>('/apps', {
        ...deployBody(manifest, discovered, uri),
        ...(staged ? { preserve_current_version: true } : {}),
      })
      const version = app.version
      const active = app.version_id === version?.id
      for (const { message } of version?.warnings ?? []) say(`warning: ${message}`)
      const ref = `${app.namespace}/${app.name}`
      return {
        text: `${ref}@${version?.short_id ?? ''}${active ? '' : ' (staged)'}`,
        json: {
          ref,
          app_id: app.id,
          version_id: version?.id ?? '',
          version: version?.short_id ?? '',
          active,
          functions: Object.keys(discovered.functions),
          warnings: version?.warnings ?? [],
        },
      }
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  },
}

export const deployCommands = [deploy]
