// Guarantees: the shipped alerts use metrics and labels that the server exports.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createWorld, type World } from '../../testing/world.ts'

type Rule = { alert: string; expr: string; for: string; annotations: { summary: string } }

const file = new URL('../../../../../deploy/prometheus-rules.yaml', import.meta.url)
const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

/** `name` or `name{label="value",…}`, anywhere in an expression. */
const selectors = (expr: string) =>
  [...expr.matchAll(/\b((?:millrace|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', labels = '']) => ({
    name,
    labels: labels.split(',').filter(Boolean),
  }))

let world: World
let told: string[]
beforeAll(async () => {
  world = await createWorld()
  await world.call('owner', 'POST /run', { body: {} })
  told = (await world.call(null, 'GET /metrics')).text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
})
afterAll(() => world?.close())

it.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (_name, { expr, for: patience, annotations }) => {
  expect(patience).toMatch(/^\d+[sm]$/)
  expect(annotations.summary).not.toBe('')
  expect(selectors(expr)).not.toEqual([])
  for (const { name, labels } of selectors(expr)) {
    const lines = told.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    expect(
      lines.some((line) => labels.every((label) => line.includes(label))),
      `${name}{${labels}}`,
    ).toBe(true)
  }
})

it('the page for operators names every alert', () => {
  const page = readFileSync(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8')
  expect(rules.map(({ alert }) => alert).filter((alert) => !page.includes(`\`${alert}\``))).toEqual([])
})
