// Builds the console into `dist`: hashed names, one chunk per page, and each file compressed once beside itself.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const compressible = /\.(js|css|html|svg|json)$/
const smallestWorthwhileBytes = 1024

const compressFile = async (path: string): Promise<void> => {
  const bytes = await readFile(path)
  if (bytes.length < smallestWorthwhileBytes) return
  const [small, smaller] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ])
  await Promise.all([writeFile(`${path}.gz`, small), writeFile(`${path}.br`, smaller)])
}

const compress = (): Plugin => {
  let folder = ''
  return {
    name: 'compress',
    apply: 'build',
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir)
    },
    // Not in `closeBundle`, which also runs after a failed build and would hide its error.
    writeBundle: async () => {
      const names = await readdir(folder, { recursive: true })
      await Promise.all(names.filter((name) => compressible.test(name)).map((name) => compressFile(join(folder, name))))
    },
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react(), tailwindcss(), compress()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The code that every page needs, in two files instead of forty: our code changes more often than the libraries.
          groups: [
            { name: 'libraries', tags: ['$initial'], test: /node_modules/ },
            { name: 'frame', tags: ['$initial'] },
          ],
        },
      },
    },
  },
})
