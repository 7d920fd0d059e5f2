import type { Import, ImportField } from '#resources/imports/internal.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { CheckField, FormLine } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { ChoiceField, ChoiceSelect, toOptions } from './choice-field.tsx'
import { explainFailure } from './import-messages.tsx'
import { saveImportMapping } from './import-queries.ts'

/** What the file is: its format, and for a table whether its first row names the columns. */
export function ImportFormat({ item }: { item: Import }) {
  const { id, kind, latin1, has_headings } = item
  return (
    <div className="sheet-form set-form">
      <ChoiceField
        label={transferMessages.kind}
        name="kind"
        value={kind ?? ''}
        options={[
          ...(kind ? [] : [{ value: '' as const, label: '' }]),
          ...toOptions(transferMessages.kinds),
        ]}
        onChoose={(chosen) => chosen && saveImportMapping(id, () => ({ kind: chosen }))}
      />
      <FormLine>
        {/* What is ready is announced by the preview. */}
        <p role={item.status === 'failed' ? 'status' : undefined}>{describeFile(item)}</p>
        {kind === 'csv' && has_headings !== null && (
          <CheckField
            checked={has_headings}
            onChange={() => void saveImportMapping(id, () => ({ has_headings: !has_headings }))}
          >
            {transferMessages.hasHeadings}
          </CheckField>
        )}
        {(item.status === 'failed' || latin1) && (
          <CheckField
            checked={latin1}
            onChange={() => void saveImportMapping(id, () => ({ latin1: !latin1 }))}
          >
            {transferMessages.latin1}
          </CheckField>
        )}
      </FormLine>
    </div>
  )
}

/** What has been read of the file, or why it cannot be. */
function describeFile(item: Import): string {
  const { status, filename, row_count, headers } = item
  if (status === 'reading') return transferMessages.reading(row_count)
  if (status === 'failed') return explainFailure(item)
  return transferMessages.contents(filename, row_count, headers.length)
}

/** Fields of which a task has several values, each of which may have a column. */
const REPEATED_FIELDS: readonly ImportField[] = [
  'description',
  'assignees',
  'tags',
  'blocked_by',
  'comments',
]
const COLUMNS = transferMessages.columnHeaders.map((label) => ({ label }))
const FIELDS = toOptions(transferMessages.fields)

/** Says of each column of a table, beside its first values, which field of a task it is. */
export function ImportColumns({ item }: { item: Import }) {
  const { id, headers, columns, column_values } = item
  const assignField = (column: string, field: ImportField | '') =>
    saveImportMapping(id, (latest) => {
      // Most fields have one column: choosing it for another one takes it from the first.
      const isTaken = (one: ImportField) => one === field && !REPEATED_FIELDS.includes(one)
      const others = latest.columns.filter((one) => one.column !== column && !isTaken(one.field))
      return { columns: field === '' ? others : [...others, { field, column }] }
    })
  return (
    <section aria-label={transferMessages.columns}>
      <SectionHeader count={3} title={transferMessages.columns} />
      <DataTable label={transferMessages.columns} className="mapping" columns={COLUMNS}>
        {headers.map((header, at) => {
          // The server calls a column without a name by its place.
          const isUnnamed = header === `Column ${at + 1}`
          const name = isUnnamed ? transferMessages.unnamedColumn(at + 1) : header
          return (
            <TableRow key={header}>
              <TableCell className="gut">{at + 1}</TableCell>
              <TableCell>
                <b className="clip">{name}</b>
              </TableCell>
              <TableCell className="samples">
                {(column_values[at] ?? []).map((value) => (
                  <span key={value} className="clip">
                    {value}
                  </span>
                ))}
              </TableCell>
              <TableCell>
                <ChoiceSelect
                  aria-label={name}
                  className="field"
                  value={columns.find(({ column }) => column === header)?.field ?? ''}
                  options={[{ value: '' as const, label: transferMessages.noColumn }, ...FIELDS]}
                  onChoose={(field) => assignField(header, field)}
                />
              </TableCell>
            </TableRow>
          )
        })}
      </DataTable>
    </section>
  )
}
