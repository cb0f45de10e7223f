// Saves the rows that a page shows as a CSV file.
import { Download } from 'lucide-react'
import { Button } from './button.tsx'
import { type CsvValue, csvText, saveCsv } from './csv.ts'
import { uiStrings } from './strings.ts'

type CsvButtonProps = {
  /** Without extension. */
  name: string
  header: readonly string[]
  rows: () => readonly (readonly CsvValue[])[]
  label?: string
  disabled?: boolean
}

export const CsvButton = ({ name, header, rows, label = uiStrings.exportCsv, disabled = false }: CsvButtonProps) => (
  <Button disabled={disabled} onClick={() => saveCsv(`${name}.csv`, csvText(header, rows()))}>
    <Download aria-hidden /> {label}
  </Button>
)
