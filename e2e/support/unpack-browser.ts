// Unpacks the browser that npm installed, with the libraries and fonts that a bare machine lacks, into the temporary
// folder of this process. A separate program, because the package always writes to that folder.
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'

await chromium.executablePath()
await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))))
