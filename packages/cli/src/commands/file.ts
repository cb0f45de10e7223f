// Files of the server, up and down.
import { resolve } from 'node:path'
import { type Command, text } from '../command.ts'
import { type DownloadTarget, downloadFile } from '../files/download.ts'
import { uploadFile } from '../files/upload.ts'

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

export const fileCommands = [upload, download]
