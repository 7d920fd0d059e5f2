import { queryOptions, useQuery } from '@tanstack/react-query'
import type {
  Import,
  ImportWarning,
  LossCode,
  listImportFaults,
  listImportWarnings,
} from '#resources/imports/internal.ts'
import { toPersonWords } from '../../../lib/http/problem-words.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { downloadCsv } from '../../../lib/text/csv.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { SectionHeader } from '../settings-header.tsx'

const COLUMNS = transferMessages.faultColumns.map((label) => ({ label }))
const MAX_ROWS = 50

interface ImportMessagesProps {
  item: Import
  /** Rows that become no tasks, or rows of which some values are only in the description. */
  list: 'faults' | 'warnings'
  count: number
}

const { fields, losses, changes } = transferMessages

/** The rows of an import that cannot become tasks, or not with all of their values, and why. */
const rowMessagesQuery = (id: string, list: 'faults' | 'warnings', count: number) =>
  queryOptions({
    queryKey: ['imports', id, list, count],
    queryFn: async ({ signal }) => {
      const [input, options] = [{ params: { id } }, { signal }]
      if (list === 'faults') {
        const path = 'GET /internal/imports/:id/faults'
        const { data } = await requestEndpoint<typeof listImportFaults>(path, input, options)
        return data.map(({ error, ...row }) => ({
          ...row,
          message: error
            ? toPersonWords({ ...error, details: [error] }).message
            : transferMessages.emptyRow,
        }))
      }
      const path = 'GET /internal/imports/:id/warnings'
      const { data } = await requestEndpoint<typeof listImportWarnings>(path, input, options)
      return data.map(({ warnings, ...row }) => ({
        ...row,
        message: warnings.map(describeWarning).join(' '),
      }))
    },
  })

/** Why an import has failed, as a sentence. */
export function explainFailure({ error }: Pick<Import, 'error'>): string {
  const { code, value, number } = error ?? { code: 'failed', value: '', number: null }
  const words = transferMessages.errors[code]
  return typeof words === 'string' ? words : words(value, number ?? 0)
}

/** A warning as a sentence, after the name of the field or column that it is about. */
function describeWarning({ code, field, value, number }: ImportWarning): string {
  const words = isLoss(code) ? losses[code] : changes[code]
  const reason = typeof words === 'string' ? words : words(value, number ?? 0)
  const sentence = isLoss(code) ? transferMessages.kept(reason) : reason
  return field === '' ? sentence : `${labelOf(field)}: ${sentence}`
}

const isLoss = (code: ImportWarning['code']): code is LossCode => Object.hasOwn(losses, code)

const FIELD_LABELS: Readonly<Record<string, string>> = {
  ...fields,
  comments: transferMessages.comments,
}
const labelOf = (field: string) =>
  Object.hasOwn(FIELD_LABELS, field) ? FIELD_LABELS[field] : field

/** Rows with the reason why they are listed. The download contains all of them. */
export function ImportMessages({ item, list, count }: ImportMessagesProps) {
  const { data, error, refetch } = useQuery(rowMessagesQuery(item.id, list, count))
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
