// Files on the server.
import { resolve } from 'node:path'
import { isId, isShortId } from '@millrace/contract/ids'
import type { Api } from '../api/client.ts'
import { type Command, cursorOption, limitOption, pageOf, text } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { type DownloadTarget, downloadFile } from '../files/download.ts'
import { uploadFile } from '../files/upload.ts'
import { notFound } from '../find.ts'
import { deleteCommand, showCommand } from '../resource.ts'
import { ageOf } from '../times.ts'

/** By id, short id or file name. */
const findFile = async (api: Api, given: string) => {
  if (isId(given)) return api.call('files.get', { path: { id: given } })
  const filters = [{ field: 'filename', operator: 'eq', value: given } as const]
  const [first, second] = (await api.call('files.list', { body: { limit: 2, filters } })).items
  if (second !== undefined)
    throw new CliFailure(`Several files have the name ${given}`, {
      code: 'ambiguous',
      hint: 'Use the id of one (`millrace file list`)',
    })
  if (first?.id !== undefined) return api.call('files.get', { path: { id: first.id } })
  if (isShortId(given)) return api.call('files.get', { path: { id: given } })
  throw notFound('File', given, '`millrace file list` lists them')
}

const upload: Command = {
  words: 'file upload <path>',
  summary: 'Upload a file and print its address for use in inputs',
  options: [['--content-type <type>', 'content type (default: by the file extension)']],
  example: 'millrace file upload photo.png',
  run: async (cli, [path = ''], options) => {
    const contentType = text(options, 'contentType')
    const file = await uploadFile(cli.api(), resolve(cli.shell.cwd, path), {
      ...(contentType === undefined ? {} : { contentType }),
    })
    return { text: file.uri, json: file }
  },
}

const download: Command = {
  words: 'file download <file>',
  summary: 'Download a file by its id, name or address',
  options: [
    ['-o, --output <path>', 'save to this path, which must not exist'],
    ['--folder <folder>', 'save in this folder under the name of the file (default: current folder)'],
  ],
  example: 'millrace file download https://mill.example/media/abc/def.png -o photo.png',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { cwd } = cli.shell
    const url = /[/:]/.test(given) ? given : (await findFile(api, given)).uri
    const output = text(options, 'output')
    const target: DownloadTarget =
      output === undefined ? { folder: resolve(cwd, text(options, 'folder') ?? '.') } : { path: resolve(cwd, output) }
    const file = await downloadFile(api, url, target)
    return { text: file.path, json: file }
  },
}

const list: Command = {
  words: 'file list',
  summary: 'List files of the workspace, newest first',
  options: [limitOption(20), cursorOption],
  example: 'millrace file list --limit 5',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('files.list', { body: pageOf(options, 20) })
    const now = cli.shell.now()
    const rows = page.items.map(({ short_id, filename, size, content_type, created_at }) => [
      short_id,
      filename,
      `${size ?? ''}`,
      content_type,
      ageOf(created_at, now),
    ])
    return { text: cli.table(['ID', 'NAME', 'BYTES', 'TYPE', 'AGE'], rows), json: page }
  },
}

const show = showCommand({
  noun: 'file',
  example: 'photo.png',
  find: findFile,
  rows: ({ id, filename, uri, size, content_type, created_at }) => [
    ['file', filename],
    ['id', id],
    ['address', uri],
    ['bytes', `${size}`],
    ['type', content_type],
    ['created', created_at],
  ],
})

const remove = deleteCommand({
  noun: 'file',
  example: 'photo.png',
  find: async (api, given) => {
    const { id, filename } = await findFile(api, given)
    return { id, name: filename ?? id }
  },
  remove: (api, { id }) => api.call('files.delete', { path: { id } }),
})

export const fileCommands = [list, show, remove, upload, download]
