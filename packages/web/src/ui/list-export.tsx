// Saves every row that the filters of a list show as a CSV file, not only the loaded rows.
import type { ListRequest } from '@millrace/contract/common'
import { Download } from 'lucide-react'
import { allRows, type ListName, type RowOf } from '../api/list.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { saveCsv } from './csv.ts'
import { uiStrings } from './strings.ts'

const maxExported = 10_000

type ListExportProps<N extends ListName> = {
  list: N
  request: ListRequest
  /** Of the file, without extension. */
  name: string
  toCsv: (rows: readonly RowOf<N>[]) => string
}

export const ListExport = <N extends ListName>({ list, request, name, toCsv }: ListExportProps<N>) => {
  const save = useAct({
    work: () => allRows(list, request, maxExported),
    after: (rows) => saveCsv(`${name}.csv`, toCsv(rows)),
  })
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      <Download aria-hidden /> {uiStrings.exportCsv}
    </Button>
  )
}
