// Inserts metering into loops: every comprehension charges for its list and, per iteration, for the size of its body.
// Also lets macros extend lists in place. Works on the parsed tree.
import type { parse } from '@bufbuild/cel'

type Expr = ReturnType<typeof parse>['expr']

const call = (name: string, ...args: Expr[]): Expr => ({
  $typeName: 'cel.expr.Expr',
  id: 0n,
  exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
})

const integer = (value: number): Expr => ({
  $typeName: 'cel.expr.Expr',
  id: 0n,
  exprKind: {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(value) } },
  },
})

const isAccumulator = (expr: Expr | undefined): boolean =>
  expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === '@result'

/** Rewrites in place and returns the number of nodes. */
export const meterLoops = (expr: Expr | undefined): number => {
  if (!expr) return 0
  const all = (exprs: readonly (Expr | undefined)[]): number => exprs.reduce((sum, item) => sum + meterLoops(item), 0)
  const kind = expr.exprKind
  switch (kind.case) {
    case 'selectExpr':
      return 1 + meterLoops(kind.value.operand)
    case 'listExpr':
      return 1 + all(kind.value.elements)
    case 'structExpr':
      return (
        1 +
        all(kind.value.entries.map((entry) => entry.value)) +
        all(kind.value.entries.map((entry) => (entry.keyKind.case === 'mapKey' ? entry.keyKind.value : undefined)))
      )
    case 'callExpr': {
      const { args, target } = kind.value
      const [first, second] = args
      if (kind.value.function === '_+_' && isAccumulator(first) && second?.exprKind.case === 'listExpr') {
        kind.value.function = '@append'
      }
      return 1 + all([target, ...args])
    }
    case 'comprehensionExpr': {
      const loop = kind.value
      const outside = all([loop.iterRange, loop.accuInit, loop.result])
      const weight = all([loop.loopCondition, loop.loopStep])
      if (loop.iterRange) loop.iterRange = call('@iterate', loop.iterRange)
      if (loop.loopCondition) loop.loopCondition = call('@step', loop.loopCondition, integer(weight))
      return 1 + outside + weight
    }
    default:
      return 1
  }
}
