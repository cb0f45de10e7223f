// The free names of an expression, which must be bound before its evaluation.
import { parse } from '@bufbuild/cel'
import { celLimits } from './cel-meter.ts'

type Expr = NonNullable<ReturnType<typeof parse>['expr']>

/** Without names that are bound by comprehensions. */
const freeNames = (expr: Expr | undefined, bound: ReadonlySet<string>): string[] => {
  if (!expr) return []
  const all = (exprs: readonly (Expr | undefined)[], inside = bound) => exprs.flatMap((one) => freeNames(one, inside))
  const kind = expr.exprKind
  switch (kind.case) {
    case 'identExpr':
      return bound.has(kind.value.name) ? [] : [kind.value.name]
    case 'selectExpr':
      return freeNames(kind.value.operand, bound)
    case 'listExpr':
      return all(kind.value.elements)
    case 'structExpr':
      return kind.value.entries.flatMap(({ keyKind, value }) =>
        all([value, keyKind.case === 'mapKey' ? keyKind.value : undefined]),
      )
    case 'callExpr':
      return all([kind.value.target, ...kind.value.args])
    case 'comprehensionExpr': {
      const { iterRange, accuInit, iterVar, iterVar2, accuVar, loopCondition, loopStep, result } = kind.value
      const inside = new Set([...bound, iterVar, iterVar2, accuVar])
      return [...all([iterRange, accuInit]), ...all([loopCondition, loopStep, result], inside)]
    }
    default:
      return []
  }
}

/** Throws if the expression does not parse. */
export const celNames = (expression: string): ReadonlySet<string> => {
  if (expression.length > celLimits.expressionLength)
    throw new Error(`an expression can have at most ${celLimits.expressionLength} characters`)
  return new Set(freeNames(parse(expression).expr, new Set()))
}
