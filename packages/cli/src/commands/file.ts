// Files of the server, up and down.
import { resolve } from 'node:path'
import { type Command, limitOf, text } from '../command.ts'
import { type DownloadTarget, downloadFile } from '../files/download.ts'
import { uploadFile } from '../files/upload.ts'
import { ageOf } from '../times.ts'

const upload: Command = {
  words: 'file upload <path>',
  summary: 'Upload a file and print its address for use in inputs',
  options: [['--content-type <type>', 'instead of the one its ending suggests']],
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
  summary: 'Download a file by its id or address',
  options: [
    ['-o, --output <path>', 'save under this name; it must be free'],
    ['--folder <folder>', 'save in this folder under its own name (default: here)'],
  ],
  example: 'millrace file download https://mill.example/media/abc/def.png -o photo.png',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { cwd } = cli.shell
    const url = /[/:.]/.test(given) ? given : (await api.call('files.get', { path: { id: given } })).uri
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
  options: [
    ['--limit <count>', 'how many (default 20)'],
    ['--cursor <cursor>', 'continue where a page ended'],
  ],
  example: 'millrace file list --limit 5',
  run: async (cli, _args, options) => {
    const body = { limit: limitOf(options, 20), cursor: text(options, 'cursor') }
    const page = await cli.api().call('files.list', { body })
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

export const fileCommands = [upload, download, list]
