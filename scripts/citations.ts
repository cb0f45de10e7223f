// Checks citations of the specification: `[runs 3]` in a comment, a test or a document must name an existing section in
// docs/specification. A document outside the repository cannot be cited.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'docs/specification')

const sectionsOf = (file: string): ReadonlySet<string> =>
  new Set([...readFileSync(join(folder, file), 'utf8').matchAll(/^## (\d+)\. /gm)].map(([, number = '']) => number))

const topics = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => [file.replace(/\.md$/, ''), sectionsOf(file)]),
)

const list = [...topics.keys()].join('|')
/** `[access 2]`, or several in one pair of brackets: `[access 2, access 5]`. */
const bracketed = new RegExp(`\\[((?:(?:${list}) \\d+(?:, )?)+)\\]`, 'g')
const citesOutsideDocument = /\b(?:part [1-4] ?§|as written in part [1-4]|ruling \d+\.\d+)/

const files = ['packages', 'scripts', 'e2e', 'bench', 'apps', 'docs/decisions', 'docs/protocol'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true })
    .map((path) => `${top}/${String(path).replaceAll('\\', '/')}`)
    .filter(
      (path) => /\.(ts|tsx|mjs|py|sql|md)$/.test(path) && !/node_modules|\.gen\.ts|scripts\/citations/.test(path),
    ),
)

let cited = 0
const problems = files.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  const wrong = [...text.matchAll(bracketed)].flatMap(([, inside = '']) =>
    inside.split(', ').flatMap((one) => {
      cited += 1
      const [topic = '', number = ''] = one.split(' ')
      return topics.get(topic)?.has(number) ? [] : [`${path} cites [${one}], which does not exist`]
    }),
  )
  return citesOutsideDocument.test(text) ? [...wrong, `${path} cites a document outside the repository`] : wrong
})

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log(`  ${cited} citations of ${topics.size} topics`)
