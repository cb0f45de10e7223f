// A line-by-line diff of two texts. Pure.

export type DiffLine = { kind: 'same' | 'gone' | 'new'; text: string }

/** Larger texts are shown as replaced completely. */
const maxCells = 4_000_000

const middleOf = (before: readonly string[], after: readonly string[]): DiffLine[] => {
  const gone = (text: string): DiffLine => ({ kind: 'gone', text })
  const fresh = (text: string): DiffLine => ({ kind: 'new', text })
  if (before.length * after.length > maxCells) return [...before.map(gone), ...after.map(fresh)]
  const width = after.length + 1
  // Length of the longest common subsequence from each pair of lines.
  const rest = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => rest[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      rest[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: DiffLine[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    const [old = '', next = ''] = [before[row], after[column]]
    if (row < before.length && column < after.length && old === next) {
      lines.push({ kind: 'same', text: old })
      row += 1
      column += 1
    } else if (column >= after.length || (row < before.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(gone(old))
      row += 1
    } else {
      lines.push(fresh(next))
      column += 1
    }
  }
  return lines
}

export const diffLines = (beforeText: string, afterText: string): DiffLine[] => {
  const before = beforeText.split('\n')
  const after = afterText.split('\n')
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...before.slice(0, start).map(same),
    ...middleOf(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ]
}

export type DiffPart = { lines: DiffLine[] } | { hidden: number }

/** Collapses long unchanged parts, except some lines around each change. */
export const folded = (lines: readonly DiffLine[], around = 3): DiffPart[] => {
  const near = lines.map(() => false)
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') near.fill(true, Math.max(0, index - around), index + around + 1)
  const parts: DiffPart[] = []
  for (const [index, line] of lines.entries()) {
    const last = parts.at(-1)
    if (near[index]) {
      if (last && 'lines' in last) last.lines.push(line)
      else parts.push({ lines: [line] })
    } else if (last && 'hidden' in last) last.hidden += 1
    else parts.push({ hidden: 1 })
  }
  return parts
}
