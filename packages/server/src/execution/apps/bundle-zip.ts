// Packs the files of an app as its bundle.

const fixedTime = new Date(Date.UTC(2020, 0, 1))

/** Reproducible: the same files give the same bytes, by a fixed time and sorted names. */
export const zipFiles = async (files: ReadonlyMap<string, string | Buffer>): Promise<Buffer> => {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    zip.addBuffer(Buffer.from(content), name, { mtime: fixedTime, mode: 0o100644 })
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
