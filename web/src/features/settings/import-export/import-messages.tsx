import { useQuery } from '@tanstack/react-query'
import type { Import } from '#resources/imports/internal.ts'
import { downloadCsv } from '../../../lib/text/csv.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { importMessagesQuery } from './import-queries.ts'

const COLUMNS = transferMessages.faultColumns.map((label) => ({ label }))
const MAX_ROWS = 50

interface ImportMessagesProps {
  item: Import
  /** Rows that become no tasks, or rows of which some values are only in the description. */
  list: 'faults' | 'warnings'
  count: number
}

/** Rows with the reason why they are listed. The download contains all of them. */
export function ImportMessages({ item, list, count }: ImportMessagesProps) {
  const { data, error, refetch } = useQuery(importMessagesQuery(item.id, list, count))
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  // The errors of a canceled import are deleted with its rows.
  if (!data || data.length === 0) return null
  const title = transferMessages[list]
  const download = () => {
    const lines = data.map(({ number, title, message }) => [String(number), title, message])
    const kind = list === 'faults' ? 'errors' : 'warnings'
    downloadCsv(`${item.filename}.${kind}.csv`, [transferMessages.faultColumns, ...lines])
  }
  return (
    <section aria-label={title}>
      <SectionHeader
        title={title}
        count={count}
        actions={<Button onClick={download}>{transferMessages.download}</Button>}
      />
      <DataTable label={title} className="faulty" columns={COLUMNS}>
        {data.slice(0, MAX_ROWS).map(({ number, title, message }) => (
          <TableRow key={number}>
            <TableCell className="gut">{number}</TableCell>
            <TableCell>
              <span className="clip">{title}</span>
            </TableCell>
            <TableCell>{message}</TableCell>
          </TableRow>
        ))}
      </DataTable>
    </section>
  )
}
