// Tables. On a terminal the columns are aligned and fit its width. In a pipe each row is a line of full, tab-separated
// cells without headings. Pure.

/** Foreign text on one line, without control characters, which could draw over other output. */
export const printable = (text: string): string =>
  text.replace(/\s*[\r\n]+\s*/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')

/** Foreign text of several lines; tabs and line ends stay. */
export const safeText = (text: string): string => text.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]/gu, '\uFFFD')

export type TableStyle = {
  /** Null when the output is not a terminal. */
  readonly columns: number | null
  readonly colors: boolean
}

type Cells = readonly (readonly (string | undefined)[])[]

const gap = '  '
const bold = 1
const ansi = (code: number, text: string): string => `\u001B[${code}m${text}\u001B[0m`

/** Green for success, red for failure, yellow for work in progress. */
const statusColors: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['completed', 'running', 'active', 'connected', 'success', 'enabled', 'ok'].map((w) => [w, 32]),
  ),
  ...Object.fromEntries(['failed', 'error', 'cancelled', 'expired', 'disabled', 'disconnected'].map((w) => [w, 31])),
  ...Object.fromEntries(['queued', 'received', 'dispatched', 'pending', 'preparing', 'draining'].map((w) => [w, 33])),
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`

/** Lines of a label and a value; a row without a value is left out. */
export const details = (rows: readonly (readonly [label: string, value: string | null | undefined])[]): string => {
  const shown = rows.flatMap(([label, value]) => (value ? [[label, value] as const] : []))
  const width = Math.max(...shown.map(([label]) => label.length))
  return shown.map(([label, value]) => `${label.padEnd(width)}${gap}${safeText(value)}`).join('\n')
}

export const table = (headings: readonly string[], rows: Cells, { columns, colors }: TableStyle): string => {
  const cells = rows.map((row) => row.map((cell = '') => printable(cell)))
  if (columns === null) return cells.map((row) => row.join('\t')).join('\n')
  const lines = [[...headings], ...cells]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const draw = (line: readonly string[], colorOf: (cell: string, column: number) => number | undefined): string => {
    let left = columns
    const parts = line.map((cell, column) => {
      const text = cut(column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0), left)
      left = Math.max(0, left - text.length - gap.length)
      const color = colors ? colorOf(cell, column) : undefined
      return color === undefined ? text : ansi(color, text)
    })
    return parts.join(gap).trimEnd()
  }
  return [
    draw(headings, () => bold),
    ...cells.map((row) =>
      draw(row, (cell, column) => (headings[column] === 'STATUS' ? statusColors[cell] : undefined)),
    ),
  ].join('\n')
}
