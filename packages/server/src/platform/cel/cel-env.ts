// The functions of expressions: standard CEL, each metered by the size of its input or result, and arithmetic between
// integers and doubles. No extensions, no clock, no randomness.
import {
  type CelEnv,
  type CelFunc,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  celMethod,
  isCelError,
  isCelList,
  isCelMap,
  listType,
  mapType,
} from '@bufbuild/cel'
import { celLimits, charge, chargeText, matchPattern, refuseLonger } from './cel-meter.ts'

const { BOOL, BYTES, DOUBLE, DYN, INT, STRING, UINT } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)

const standard = celEnv()

const callStandard = (func: Pick<CelFunc, 'call'>, target: CelValue | undefined, args: CelValue[]): CelValue => {
  const result = func.call(0, target, args)
  if (result === undefined) throw new Error('no matching overload')
  if (isCelError(result)) throw result
  return result
}

const standardFunction = (name: string): Pick<CelFunc, 'call'> => {
  const found = standard.funcs.find(name)
  if (!found) throw new Error(`CEL has no function ${name}`)
  return found
}

const equality = standardFunction('_==_')
const text = standardFunction('string')

/** RFC 3339 for timestamps, seconds for durations. */
export const textOf = (value: CelValue): string => String(callStandard(text, undefined, [value]))

const same = (a: CelValue, b: CelValue): boolean => {
  charge(1)
  if (typeof a === 'string') {
    chargeText(a.length)
    return a === b
  }
  if (isCelList(a) && isCelList(b)) {
    if (a.size !== b.size) return false
    const others = b[Symbol.iterator]()
    for (const item of a) if (!same(item, others.next().value)) return false
    return true
  }
  if (isCelMap(a) && isCelMap(b)) {
    if (a.size !== b.size) return false
    for (const [key, item] of a) {
      const other = b.get(key)
      if (other === undefined || !same(item, other)) return false
    }
    return true
  }
  return callStandard(equality, undefined, [a, b]) === true
}

const mixed = (name: string, compute: (a: number, b: number) => number): CelFunc[] => [
  celFunc(name, [INT, DOUBLE], DOUBLE, (a, b) => compute(Number(a), b)),
  celFunc(name, [DOUBLE, INT], DOUBLE, (a, b) => compute(a, Number(b))),
]

const arithmetic: CelFunc[] = [
  ...mixed('_+_', (a, b) => a + b),
  ...mixed('_-_', (a, b) => a - b),
  ...mixed('_*_', (a, b) => a * b),
  ...mixed('_/_', (a, b) => a / b),
  ...mixed('_%_', (a, b) => a % b),
]

const joining: CelFunc[] = [
  celFunc('_+_', [STRING, STRING], STRING, (a, b) => {
    refuseLonger(a.length + b.length, celLimits.textLength, 'a text')
    chargeText(a.length + b.length)
    return a + b
  }),
  celFunc('_+_', [LIST, LIST], LIST, (a, b) => {
    refuseLonger(a.size + b.size, celLimits.listLength, 'a list')
    charge(a.size + b.size)
    return celList([...a, ...b])
  }),
]

const comparing: CelFunc[] = [
  celFunc('_==_', [DYN, DYN], BOOL, (a, b) => same(a, b)),
  celFunc('_!=_', [DYN, DYN], BOOL, (a, b) => !same(a, b)),
  celFunc('@in', [DYN, LIST], BOOL, (value, list) => {
    for (const item of list) if (same(item, value)) return true
    return false
  }),
  // The library checks the value and therefore misses keys with null.
  ...[STRING, INT, DOUBLE, BOOL, UINT].map((key) =>
    celFunc('@in', [key, MAP], BOOL, (value, map) => map.get(value) !== undefined),
  ),
]

// Lists under construction by a macro, with their backing arrays. An expression cannot access the accumulator, so it
// can be changed in place; otherwise a macro over n elements would copy n lists.
const growing = new WeakMap<object, CelValue[]>()

/** Functions that cel-rewrite.ts inserts into every comprehension. */
const bookkeeping: CelFunc[] = [
  celFunc('@iterate', [DYN], DYN, (range) => {
    if (isCelList(range) || isCelMap(range)) charge(range.size)
    return range
  }),
  celFunc('@step', [BOOL, INT], BOOL, (goOn, weight) => {
    charge(Number(weight))
    return goOn
  }),
  celFunc('@append', [LIST, LIST], LIST, (list, added) => {
    const items = growing.get(list)
    if (items) {
      refuseLonger(items.length, celLimits.listLength, 'a list')
      items.push(...added)
      return list
    }
    const started = [...list, ...added]
    const grown = celList(started)
    growing.set(grown, started)
    return grown
  }),
]

const readsText = (func: CelFunc): boolean =>
  [func.target, ...func.arguments].some((type) => type === STRING || type === BYTES)

const lengthOf = (value: CelValue | undefined): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0

/** Parsing a number of a million digits is much slower than reading it; no 64-bit number needs this many. */
const maxNumberLength = 100

const metered = (func: CelFunc): CelFunc => {
  const pay = (values: (CelValue | undefined)[]): void => {
    const length = values.reduce<number>((sum, value) => sum + lengthOf(value), 0)
    if ((func.name === 'int' || func.name === 'uint') && length > maxNumberLength) throw new Error('not a number')
    refuseLonger(length, celLimits.textLength, 'a text')
    chargeText(length)
  }
  return func.target
    ? celMethod(func.name, func.target, func.arguments, func.result, function (...args: CelValue[]) {
        pay([this, ...args])
        return callStandard(func, this, args)
      })
    : celFunc(func.name, func.arguments, func.result, (...args: CelValue[]) => {
        pay(args)
        return callStandard(func, undefined, args)
      })
}

export const flowCelEnv: CelEnv = celEnv({
  funcs: [
    ...Array.from(standard.funcs).filter(readsText).map(metered),
    ...arithmetic,
    ...joining,
    ...comparing,
    ...bookkeeping,
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      return matchPattern(pattern, String(this))
    }),
  ],
})
