// Guarantees: a webhook trigger accepts exactly the payloads that match all of its rules, and an invalid rule is
// refused when it is stored.
import type { EventFilterOperator } from '@millrace/contract/triggers'
import { describe, expect, it } from 'vitest'
import { passesFilters, readFilters } from './filters.ts'

const payload = {
  action: 'opened',
  number: 7,
  draft: false,
  nothing: null,
  empty: '',
  issue: { title: 'Fix the pump', labels: [{ name: 'bug' }, { name: 'urgent' }], 'a.b': 'dotted' },
}

type Row = [field: string, operator: EventFilterOperator, value: string | undefined, passes: boolean]

const rows: Row[] = [
  ['action', 'eq', 'opened', true],
  ['action', 'eq', 'Opened', false],
  ['action', 'eq', 'open', false],
  ['number', 'eq', '7', true],
  ['number', 'eq', '7.0', false],
  ['draft', 'eq', 'false', true],
  ['nothing', 'eq', 'null', false],
  ['nothing', 'eq', '', false],
  ['empty', 'eq', '', true],
  ['missing', 'eq', '', false],
  ['missing', 'eq', 'undefined', false],
  ['issue', 'eq', '[object Object]', false],
  ['issue.labels', 'eq', '', false],
  ['issue.title', 'eq', 'Fix the pump', true],
  ['issue.labels.1.name', 'eq', 'urgent', true],
  ['issue.labels[0].name', 'eq', 'bug', true],
  ['issue.labels.2.name', 'eq', 'bug', false],
  ['issue.labels.length', 'eq', '2', false],
  ['action.length', 'exists', undefined, false],
  ['constructor.name', 'eq', 'Object', false],
  ['__proto__', 'exists', undefined, false],
  ['action', 'neq', 'closed', true],
  ['action', 'neq', 'opened', false],
  ['number', 'neq', '7', false],
  ['missing', 'neq', 'opened', true],
  ['missing.deeper', 'neq', '', true],
  ['nothing', 'neq', 'x', true],
  ['issue', 'neq', 'x', true],
  ['issue.title', 'contains', 'the', true],
  ['issue.title', 'contains', '', true],
  ['issue.title', 'contains', 'PUMP', false],
  ['number', 'contains', '7', false],
  ['issue.labels', 'contains', 'bug', false],
  ['missing', 'contains', '', false],
  ['issue.title', 'prefix', 'Fix', true],
  ['issue.title', 'prefix', 'the', false],
  ['number', 'prefix', '7', false],
  ['missing', 'prefix', '', false],
  ['action', 'exists', undefined, true],
  ['action', 'exists', 'ignored', true],
  ['draft', 'exists', undefined, true],
  ['empty', 'exists', undefined, true],
  ['issue.labels', 'exists', undefined, true],
  ['nothing', 'exists', undefined, false],
  ['missing', 'exists', undefined, false],
]

describe('passesFilters', () => {
  it.each(rows)('%s %s %j: %s', (field, operator, value, passes) => {
    expect(passesFilters([value === undefined ? { field, operator } : { field, operator, value }], payload)).toBe(
      passes,
    )
  })

  it('accepts everything without rules', () => {
    for (const any of [payload, {}, [], null, 'text', 7]) expect(passesFilters([], any)).toBe(true)
  })

  it('requires every rule to match', () => {
    const action = { field: 'action', operator: 'eq', value: 'opened' } as const
    const number = { field: 'number', operator: 'eq', value: '7' } as const
    expect(passesFilters([action, number], payload)).toBe(true)
    expect(passesFilters([action, { ...number, value: '8' }], payload)).toBe(false)
    expect(passesFilters([{ ...action, value: 'closed' }, number], payload)).toBe(false)
  })

  it('reads payloads that are not objects', () => {
    expect(passesFilters([{ field: '0.id', operator: 'eq', value: 'a' }], [{ id: 'a' }])).toBe(true)
    for (const any of [null, 'text', 7, true]) {
      expect(passesFilters([{ field: 'id', operator: 'exists' }], any)).toBe(false)
    }
  })
})

describe('readFilters', () => {
  it('stores only the known fields of a rule', () => {
    const given = [
      { field: 'action', operator: 'eq', value: 'opened', note: 'mine' },
      { field: 'issue', operator: 'exists' },
      { field: 'issue', operator: 'exists', value: 5 },
    ]
    expect(readFilters(given)).toEqual({
      ok: true,
      filters: [
        { field: 'action', operator: 'eq', value: 'opened' },
        { field: 'issue', operator: 'exists' },
        { field: 'issue', operator: 'exists' },
      ],
    })
    expect(readFilters([])).toEqual({ ok: true, filters: [] })
  })

  const good = { field: 'action', operator: 'eq', value: 'opened' }

  it.each([
    ['a text', 'action eq opened', 'filters'],
    ['an object', good, 'filters'],
    ['a null', null, 'filters'],
    ['too many', Array.from({ length: 101 }, () => good), 'filters'],
    ['a rule that is not an object', [good, 'x'], 'filters[1]'],
    ['a rule that is a list', [[]], 'filters[0]'],
    ['no field', [{ operator: 'eq', value: 'x' }], 'filters[0].field'],
    ['an empty field', [{ ...good, field: '' }], 'filters[0].field'],
    ['no operator', [{ field: 'action', value: 'x' }], 'filters[0].operator'],
    ['an unknown operator', [good, { ...good, operator: 'gt' }], 'filters[1].operator'],
    ['an operator in upper case', [{ ...good, operator: 'EQ' }], 'filters[0].operator'],
    ['an inherited property name as operator', [{ ...good, operator: 'constructor' }], 'filters[0].operator'],
    ['no value', [{ field: 'action', operator: 'prefix' }], 'filters[0].value'],
    ['a number as value', [{ ...good, value: 7 }], 'filters[0].value'],
  ])('refuses %s', (_, given, field) => {
    expect(readFilters(given)).toEqual({ ok: false, field, detail: expect.stringContaining(field) })
  })
})
