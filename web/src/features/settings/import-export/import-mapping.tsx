import type { Import, ImportField, ImportKind } from '#resources/imports/internal.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { CheckField, FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { type ImportMappingPatch, saveImportMapping } from './import-queries.ts'

const getEntries = <K extends string>(words: Record<K, string>) =>
  Object.entries(words) as [K, string][]
const findKey = <K extends string>(words: Record<K, string>, value: string) =>
  getEntries(words).find(([key]) => key === value)?.[0]
const toOptions = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

/**
 * Maps the contents of the file to the workspace. Each choice is saved at once, and may make the
 * server read the file again. Until it has, the fields change nothing, but keep the focus.
 */
export function ImportMapping({ item }: { item: Import }) {
  const { latin1 } = item
  const { projects, members } = useBoot('projects', 'members')
  const activeProjects = projects.filter(({ status }) => status === 'active')
  return (
    <fieldset aria-disabled={item.status === 'reading'}>
      <div className="sheet-form">
        <SelectField
          label={transferMessages.kind}
          name="kind"
          value={item.kind ?? ''}
          options={[
            ...(item.kind ? [] : [{ value: '', label: '' }]),
            ...toOptions(transferMessages.kinds),
          ]}
          onChange={({ target }) => saveChoice(item, { kind: target.value as ImportKind })}
        />
        {(item.status === 'failed' || latin1) && (
          <FormLine>
            <CheckField checked={latin1} onChange={() => saveChoice(item, { latin1: !latin1 })}>
              {transferMessages.latin1}
            </CheckField>
          </FormLine>
        )}
      </div>
      {item.status !== 'failed' && (
        <>
          {item.kind === 'csv' && <ColumnMapping item={item} />}
          <NameMapping
            title={transferMessages.projects}
            entries={item.projects.map(({ project_id, ...entry }) => ({
              ...entry,
              value: project_id ?? '',
            }))}
            options={[
              { value: '', label: transferMessages.newProject },
              ...activeProjects.map((project) => ({ value: project.id, label: project.name })),
            ]}
            onChoose={(name, value) =>
              saveChoice(item, { projects: [{ name, project_id: value || null }] })
            }
          />
          <NameMapping
            title={transferMessages.statuses}
            entries={item.statuses.map(({ category, ...entry }) => ({ ...entry, value: category }))}
            options={toOptions(transferMessages.categories)}
            onChoose={(name, value) => {
              const category = findKey(transferMessages.categories, value)
              if (category) saveChoice(item, { statuses: [{ name, category }] })
            }}
          />
          <NameMapping
            title={transferMessages.people}
            hint={transferMessages.peopleHint}
            entries={item.people.map(({ user_id, ...entry }) => ({
              ...entry,
              value: user_id ?? '',
            }))}
            options={[
              { value: '', label: transferMessages.nobody },
              ...members.map((member) => ({ value: member.id, label: member.name })),
            ]}
            onChoose={(name, value) =>
              saveChoice(item, { people: [{ name, user_id: value || null }] })
            }
          />
          <NameMapping
            title={transferMessages.fields.priority}
            entries={item.priorities.map(({ priority, ...entry }) => ({
              ...entry,
              value: priority,
            }))}
            options={toOptions(projectViewMessages.priorities)}
            onChoose={(name, value) => {
              const priority = findKey(projectViewMessages.priorities, value)
              if (priority) saveChoice(item, { priorities: [{ name, priority }] })
            }}
          />
          <DateOrderChoice item={item} />
          <ImportPreview item={item} />
        </>
      )}
    </fieldset>
  )
}

/** Saves a choice. The server would refuse it while it reads the file. */
function saveChoice({ id, status }: Import, choice: ImportMappingPatch): void {
  if (status !== 'reading') void saveImportMapping(id, choice)
}

/** Assigns the columns of a CSV file to the fields of a task. */
function ColumnMapping({ item }: { item: Import }) {
  const { headers, columns } = item
  const options = [
    { value: '', label: transferMessages.noColumn },
    ...headers.map((header) => ({ value: header, label: header })),
  ]
  const assignColumn = (field: ImportField, column: string) => {
    const others = columns.filter((entry) => entry.field !== field)
    saveChoice(item, {
      columns: column === '' ? others : [...others, { field, column }],
    })
  }
  return (
    <section aria-label={transferMessages.columns}>
      <SectionHeader title={transferMessages.columns} />
      <div className="sheet-form set-form">
        {getEntries(transferMessages.fields).map(([field, label]) => (
          <SelectField
            key={field}
            label={label}
            name={field}
            value={columns.find((entry) => entry.field === field)?.column ?? ''}
            options={options}
            onChange={({ target }) => assignColumn(field, target.value)}
          />
        ))}
      </div>
    </section>
  )
}

const DATE_ORDERS = { day_first: '31/12/2026', month_first: '12/31/2026' }

/** Asks whether 3/4/2026 is in March or April, if the file does not show it. */
function DateOrderChoice({ item }: { item: Import }) {
  const { date_order } = item
  if (!date_order) return null
  const { order, count, example } = date_order
  return (
    <section aria-label={transferMessages.dateOrder}>
      <SectionHeader title={transferMessages.dateOrder} />
      <div className="sheet-form set-form">
        <SelectField
          label={transferMessages.dateOrder}
          name="date_order"
          value={order}
          options={toOptions(DATE_ORDERS)}
          onChange={({ target }) => {
            const chosen = findKey(DATE_ORDERS, target.value)
            if (chosen) saveChoice(item, { date_order: chosen })
          }}
        />
        <FormLine>
          <p className="hint">{transferMessages.dateOrderHint(count, example)}</p>
        </FormLine>
      </div>
    </section>
  )
}

interface NameMappingProps {
  title: string
  hint?: string
  entries: readonly { name: string; count: number; value: string }[]
  options: readonly { value: string; label: string }[]
  onChoose: (name: string, value: string) => void
}

/** Assigns each name in the file to a project, a category, a person or a priority. */
function NameMapping({ title, hint, entries, options, onChoose }: NameMappingProps) {
  if (entries.length === 0) return null
  return (
    <section aria-label={title}>
      <SectionHeader title={title} count={entries.length} />
      <div className="sheet-form set-form">
        {entries.map(({ name, count, value }) => (
          <SelectField
            key={name}
            label={String(count)}
            name={name}
            aria-label={name || transferMessages.allTasks}
            value={value}
            options={options}
            beside={<span className="mapped">{name || transferMessages.allTasks}</span>}
            onChange={({ target }) => onChoose(name, target.value)}
          />
        ))}
        {hint && (
          <FormLine>
            <p className="hint">{hint}</p>
          </FormLine>
        )}
      </div>
    </section>
  )
}

const COLUMNS = transferMessages.sampleColumns.map((label) => ({ label }))

/** The first rows of the file, as they will be imported. */
const ImportPreview = ({ item: { sample } }: { item: Import }) => (
  <>
    <SectionHeader title={transferMessages.sample} />
    <DataTable label={transferMessages.sample} className="imported" columns={COLUMNS}>
      {sample.map((row) => (
        <TableRow key={row.number}>
          <TableCell className="gut">{row.number}</TableCell>
          <TableCell>
            <span className="clip">{row.title}</span>
          </TableCell>
          <TableCell>{row.status}</TableCell>
          <TableCell>{row.due_date}</TableCell>
          <TableCell>{row.assignees.join(', ')}</TableCell>
          <TableCell>{row.tags.join(', ')}</TableCell>
        </TableRow>
      ))}
    </DataTable>
  </>
)
