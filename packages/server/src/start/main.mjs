// @ts-check
// The server as a program.
import { launch } from '@millrace/launch'

await launch('server', new URL('./program.ts', import.meta.url))
