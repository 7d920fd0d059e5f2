import { useQuery } from '@tanstack/react-query'
import type { Import } from '#resources/imports/internal.ts'
import { downloadCsv } from '../../../lib/text/csv.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { importErrorsQuery } from './import-queries.ts'

const COLUMNS = transferMessages.faultColumns.map((label) => ({ label }))
const MAX_ROWS = 50

/** The rows that cannot be imported, and why. The download contains all of them. */
export function ImportErrors({ item }: { item: Import }) {
  const { data, error, refetch } = useQuery(importErrorsQuery(item))
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  // The errors of a canceled import are deleted with its rows.
  if (!data || data.length === 0) return null
  const download = () => {
    const lines = data.map(({ number, title, message }) => [String(number), title, message])
    downloadCsv(`${item.filename}.errors.csv`, [transferMessages.faultColumns, ...lines])
  }
  return (
    <section aria-label={transferMessages.faults}>
      <SectionHeader
        title={transferMessages.faults}
        count={item.failed_count}
        actions={<Button onClick={download}>{transferMessages.download}</Button>}
      />
      <DataTable label={transferMessages.faults} className="faulty" columns={COLUMNS}>
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
