import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileSchema, File } from '@inferencesh/app'
import { z } from 'zod'

export const RunInput = z.object({ document: createFileSchema(z) })
export const RunOutput = z.object({ document: z.any(), pages: z.array(z.any()) })

export class App {
  async run({ document }) {
    const text = readFileSync(await document.getPath(), 'utf8')
    const files = [text.toUpperCase(), text.length].map((content, index) => {
      const path = join(tmpdir(), `page-${index}.txt`)
      writeFileSync(path, String(content))
      return File.fromPath(path)
    })
    return { document: files[0], pages: files.slice(1) }
  }
}
