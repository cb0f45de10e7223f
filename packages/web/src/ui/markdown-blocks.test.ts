// Guarantees: while a text grows, its finished blocks stay unchanged, and its unfinished end is not rendered as other markup.
import { describe, expect, it } from 'vitest'
import { blocksOf, completeMarkup } from './markdown-blocks.ts'

const long = `# Flour

Two kinds of *flour*:

1. **Rye**, which

   is dark

2. Wheat

\`\`\`ts
const a = 1

const b = 2
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

100 sacks, and an end.
`

const units = ['[\n', '[a\n', '[', '![', '[x](', '`', '\n-', '\n ', '**', '~~~\n', '[a]: ']

/** At this length, quadratic time exceeds the time limit of a test. */
it.each(units)('a long text of %j is read in linear time', (unit) => {
  const text = `${unit.repeat(600_000 / unit.length)}x]\n`
  expect(blocksOf(text).join('')).toBe(text)
  expect(completeMarkup(text).length).toBeGreaterThan(0)
})

describe('blocks', () => {
  it('are cut between paragraphs, not inside lists, fences or tables', () => {
    expect(blocksOf(long).map((block) => block.slice(0, 7))).toEqual([
      '# Flour',
      'Two kin',
      '```ts\nc',
      '| a | b',
      '100 sac',
    ])
    expect(blocksOf(long).join('')).toBe(long)
  })

  it('stay unchanged while the text grows', () => {
    let before: string[] = []
    for (let length = 1; length <= long.length; length += 1) {
      const blocks = blocksOf(long.slice(0, length))
      expect(blocks.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
      before = blocks
    }
  })

  it('are a single block if the text has reference definitions', () => {
    const text = 'See [there][1].\n\nMore.\n\n[1]: https://mill.example\n'
    expect(blocksOf(text)).toEqual([text])
  })
})

it.each([
  ['bold', 'It is **very', 'It is **very**'],
  ['a star inside of code', 'It is `a ** b`', 'It is `a ** b`'],
  ['code', 'Call `run', 'Call `run`'],
  ['a link without its address', 'See [the mill](https://mi', 'See'],
  ['a list that could be a heading', 'Kinds of flour\n-', 'Kinds of flour'],
  ['an open fence', '```\nconst **', '```\nconst **'],
  ['complete markup', 'It is **very** `good`.', 'It is **very** `good`.'],
])('completes the end of a text: %s', (_what, given, expected) => {
  expect(completeMarkup(given)).toBe(expected)
})
