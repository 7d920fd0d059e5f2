import { type ComponentProps, useState } from 'react'
import type { Import, ImportField } from '#resources/imports/internal.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { transferMessages } from '../../../messages/settings/transfer.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { CheckField, FormLine, SelectField } from '../../../ui/form/form-field.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { SectionHeader } from '../settings-header.tsx'
import { saveImportMapping } from './import-queries.ts'

const getEntries = <K extends string>(words: Record<K, string>) =>
  Object.entries(words) as [K, string][]
const toOptions = <K extends string>(words: Record<K, string>) =>
  getEntries(words).map(([value, label]) => ({ value, label }))

/**
 * Maps the contents of the file to the workspace. Each choice is saved after those before it, and
 * may make the server read the file again.
 */
export function ImportMapping({ item }: { item: Import }) {
  const { id, latin1 } = item
  const { projects, members } = useBoot('projects', 'members')
  const activeProjects = projects.filter(({ status }) => status === 'active')
  return (
    <>
      <div className="sheet-form">
        <ChoiceField
          label={transferMessages.kind}
          name="kind"
          value={item.kind ?? ''}
          options={[
            ...(item.kind ? [] : [{ value: '' as const, label: '' }]),
            ...toOptions(transferMessages.kinds),
          ]}
          onChoose={(kind) => kind && saveImportMapping(id, () => ({ kind }))}
        />
        {(item.status === 'failed' || latin1) && (
          <FormLine>
            <CheckField
              checked={latin1}
              onChange={() => void saveImportMapping(id, () => ({ latin1: !latin1 }))}
            >
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
              saveImportMapping(id, () => ({ projects: [{ name, project_id: value || null }] }))
            }
          />
          <NameMapping
            title={transferMessages.statuses}
            entries={item.statuses.map(({ category, ...entry }) => ({ ...entry, value: category }))}
            options={toOptions(transferMessages.categories)}
            onChoose={(name, category) =>
              saveImportMapping(id, () => ({ statuses: [{ name, category }] }))
            }
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
              saveImportMapping(id, () => ({ people: [{ name, user_id: value || null }] }))
            }
          />
          <NameMapping
            title={transferMessages.fields.priority}
            entries={item.priorities.map(({ priority, ...entry }) => ({
              ...entry,
              value: priority,
            }))}
            options={toOptions(projectViewMessages.priorities)}
            onChoose={(name, priority) =>
              saveImportMapping(id, () => ({ priorities: [{ name, priority }] }))
            }
          />
          <DateOrderChoice item={item} />
          <ImportPreview item={item} />
        </>
      )}
    </>
  )
}

interface Choices<V extends string> {
  value: V
  options: readonly { value: V; label: string }[]
}

type ChoiceFieldProps<V extends string> = Choices<V> &
  Omit<ComponentProps<typeof SelectField>, keyof Choices<V> | 'onChange'> & {
    onChoose: (value: V) => unknown
  }

/** A field that shows a choice at once, before it is saved. */
function ChoiceField<V extends string>({ value, onChoose, ...rest }: ChoiceFieldProps<V>) {
  const [unsaved, setUnsaved] = useState<V>()
  const choose = async (choice: V | undefined) => {
    if (choice === undefined) return
    setUnsaved(choice)
    await onChoose(choice)
    setUnsaved((latest) => (latest === choice ? undefined : latest))
  }
  return (
    <SelectField
      {...rest}
      value={unsaved ?? value}
      onChange={({ target }) => void choose(rest.options[target.selectedIndex]?.value)}
    />
  )
}

/** Assigns the columns of a CSV file to the fields of a task. */
function ColumnMapping({ item }: { item: Import }) {
  const { id, headers, columns } = item
  const options = [
    { value: '', label: transferMessages.noColumn },
    ...headers.map((header) => ({ value: header, label: header })),
  ]
  const assignColumn = (field: ImportField, column: string) =>
    saveImportMapping(id, (latest) => {
      const others = latest.columns.filter((entry) => entry.field !== field)
      return { columns: column === '' ? others : [...others, { field, column }] }
    })
  return (
    <section aria-label={transferMessages.columns}>
      <SectionHeader title={transferMessages.columns} />
      <div className="sheet-form set-form">
        {getEntries(transferMessages.fields).map(([field, label]) => (
          <ChoiceField
            key={field}
            label={label}
            name={field}
            value={columns.find((entry) => entry.field === field)?.column ?? ''}
            options={options}
            onChoose={(column) => assignColumn(field, column)}
          />
        ))}
      </div>
    </section>
  )
}

const DATE_ORDERS = { day_first: '31/12/2026', month_first: '12/31/2026' }

/** Asks whether 3/4/2026 is in March or April, if the file does not show it. */
function DateOrderChoice({ item }: { item: Import }) {
  if (!item.date_order) return null
  const { order, count, example } = item.date_order
  return (
    <section aria-label={transferMessages.dateOrder}>
      <SectionHeader title={transferMessages.dateOrder} />
      <div className="sheet-form set-form">
        <ChoiceField
          label={transferMessages.dateOrder}
          name="date_order"
          value={order}
          options={toOptions(DATE_ORDERS)}
          onChoose={(date_order) => saveImportMapping(item.id, () => ({ date_order }))}
        />
        <FormLine>
          <p className="hint">{transferMessages.dateOrderHint(count, example)}</p>
        </FormLine>
      </div>
    </section>
  )
}

interface NameMappingProps<V extends string> {
  title: string
  hint?: string
  entries: readonly { name: string; count: number; value: NoInfer<V> }[]
  options: Choices<V>['options']
  onChoose: (name: string, value: V) => unknown
}

/** Assigns each name in the file to a project, a category, a person or a priority. */
function NameMapping<V extends string>(props: NameMappingProps<V>) {
  const { title, hint, entries, options, onChoose } = props
  if (entries.length === 0) return null
  return (
    <section aria-label={title}>
      <SectionHeader title={title} count={entries.length} />
      <div className="sheet-form set-form">
        {entries.map(({ name, count, value }) => (
          <ChoiceField
            key={name}
            label={String(count)}
            name={name}
            aria-label={name || transferMessages.allTasks}
            value={value}
            options={options}
            beside={<span className="mapped">{name || transferMessages.allTasks}</span>}
            onChoose={(chosen) => onChoose(name, chosen)}
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
