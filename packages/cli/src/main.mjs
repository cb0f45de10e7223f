// @ts-check
// `millrace` as a program.
import { launch } from '@millrace/launch'

await launch('cli', new URL('./start.ts', import.meta.url))
