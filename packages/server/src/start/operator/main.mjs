// @ts-check
// The operator's commands as a program.
import { launch } from '@millrace/launch'

await launch('operator', new URL('./program.ts', import.meta.url))
