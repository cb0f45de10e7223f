// @ts-check
// The engine as a program of its own.
import { launch } from '@millrace/launch'

await launch('engine', new URL('./program.ts', import.meta.url))
