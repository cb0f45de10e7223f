// @ts-check
// The `millrace` program.
import { launch } from '@millrace/launch'

await launch('cli', new URL('./start.ts', import.meta.url))
