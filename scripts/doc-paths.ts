// Every path in backticks in the documents must exist, so that moving a file requires updating its mentions.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]
const looksLikePath = /^(?:packages|apps|docs|scripts|bench|e2e|\.ci)\/[\w./-]+$/
/** `platform/tenancy/visibility.ts`: a path without package belongs to the server. */
const looksShort = /^[a-z][\w-]*(?:\/[\w-]+)+\.ts$/

const exists = (path: string): boolean =>
  existsSync(join(root, path)) || (looksShort.test(path) && existsSync(join(root, 'packages/server/src', path)))

const missing = documents.flatMap((document) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/`([^`\n]+)`/g)]
    .map(([, text = '']) => text)
    .filter((text) => (looksLikePath.test(text) || looksShort.test(text)) && !exists(text))
    .map((text) => `${document}: ${text} does not exist`),
)
if (missing.length > 0) {
  console.error(missing.join('\n'))
  process.exit(1)
}
console.log(`  ${documents.length} documents`)
