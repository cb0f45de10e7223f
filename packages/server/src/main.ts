// Starts the program with Node's compile cache on: later starts skip the parsing of every module. The cache must be on
// before the first import, which is why the program itself is a second file.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/millrace', import.meta.url)))
await import('./program.ts')
