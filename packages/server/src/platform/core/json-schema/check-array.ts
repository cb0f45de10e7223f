// Array keywords.
import { canonicalJson } from '@millrace/contract/warm-key'
import type { SchemaNode } from './schema-copy.ts'
import { type Check, type CheckPosition, inside, type ValueFault } from './steps.ts'

type Keywords = { readonly [keyword: string]: unknown }

/** Characters of an item's JSON text that cost one step. */
const charactersPerCharge = 8

export const checkArray = (
  check: Check,
  schema: Keywords,
  items: readonly unknown[],
  at: CheckPosition,
): ValueFault | null => {
  const { maxItems, minItems } = schema as Record<string, number | undefined>
  const fault = (keyword: string, message: string): ValueFault => ({ keyword, place: at.place, message })
  if (maxItems !== undefined && items.length > maxItems)
    return fault('maxItems', `must NOT have more than ${maxItems} items`)
  if (minItems !== undefined && items.length < minItems)
    return fault('minItems', `must NOT have fewer than ${minItems} items`)
  if (schema.uniqueItems === true && !areUnique(check, items))
    return fault('uniqueItems', 'must NOT have duplicate items')
  const contained = checkContains(check, schema, items, at)
  if (contained) return contained
  const first = (schema.prefixItems ?? []) as SchemaNode[]
  for (const [index, form] of first.slice(0, items.length).entries()) {
    const missed = check.fits(form, items[index], inside(at, index))
    if (missed) return missed
    at.seen?.items.add(index)
  }
  return (
    checkRest(check, schema.items, { items, from: first.length, skip: false }, at) ??
    checkRest(check, schema.unevaluatedItems, { items, from: 0, skip: true }, at)
  )
}

/** Items that no earlier keyword evaluated. */
const checkRest = (
  check: Check,
  form: unknown,
  { items, from, skip }: { items: readonly unknown[]; from: number; skip: boolean },
  at: CheckPosition,
): ValueFault | null => {
  if (form === undefined) return null
  for (let index = from; index < items.length; index += 1) {
    if (skip && at.seen?.items.has(index)) continue
    const missed = check.fits(form as SchemaNode, items[index], inside(at, index))
    if (missed && form === false)
      return { keyword: 'items', place: at.place, message: `must NOT have more than ${index} items` }
    if (missed) return missed
    at.seen?.items.add(index)
  }
  return null
}

const checkContains = (
  check: Check,
  schema: Keywords,
  items: readonly unknown[],
  at: CheckPosition,
): ValueFault | null => {
  if (schema.contains === undefined) return null
  const { minContains = 1, maxContains } = schema as Record<string, number | undefined>
  let found = 0
  for (const [index, item] of items.entries()) {
    if (check.fits(schema.contains as SchemaNode, item, inside(at, index))) continue
    found += 1
    at.seen?.items.add(index)
  }
  if (found >= minContains && (maxContains === undefined || found <= maxContains)) return null
  const most = maxContains === undefined ? '' : ` and no more than ${maxContains}`
  return {
    keyword: 'contains',
    place: at.place,
    message: `must contain at least ${minContains}${most} valid item(s)`,
  }
}

/** Compares texts, because comparing every pair would be quadratic. */
const areUnique = (check: Check, items: readonly unknown[]): boolean => {
  const texts = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item)
    check.charge(1 + text.length / charactersPerCharge)
    texts.add(text)
  }
  return texts.size === items.length
}
