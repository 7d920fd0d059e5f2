import type { Field, Import, Kind } from '#resources/imports/internal.ts'
import { useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/transfer.ts'
import { Check, FormLine, SelectField } from '../../../ui/field.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Band } from '../head.tsx'
import { choose } from './queries.ts'

const entriesOf = <K extends string>(words: Record<K, string>) =>
  Object.entries(words) as [K, string][]
const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

/** What becomes of what a file holds; each choice holds at once. */
export function Choices({ one }: { one: Import }) {
  const { id, latin1 } = one
  const { projects, members } = useBoot()
  const open = projects.filter(({ status }) => status === 'active')
  return (
    <>
      <div className="sheet-form">
        <SelectField
          label={m.kind}
          name="kind"
          value={one.kind ?? ''}
          options={[...(one.kind ? [] : [{ value: '', label: '' }]), ...optionsOf(m.kinds)]}
          onChange={({ target }) => void choose(id, { kind: target.value as Kind })}
        />
        {(one.status === 'failed' || latin1) && (
          <FormLine>
            <Check checked={latin1} onChange={() => void choose(id, { latin1: !latin1 })}>
              {m.latin1}
            </Check>
          </FormLine>
        )}
      </div>
      {one.status === 'ready' && (
        <>
          {one.kind === 'csv' && <Columns one={one} />}
          <Chosen
            title={m.projects}
            entries={one.projects.map(({ project_id, ...entry }) => ({
              ...entry,
              value: project_id ?? '',
            }))}
            options={[
              { value: '', label: m.newProject },
              ...open.map((project) => ({ value: project.id, label: project.name })),
            ]}
            onChoose={(name, value) =>
              choose(id, { projects: [{ name, project_id: value || null }] })
            }
          />
          <Chosen
            title={m.statuses}
            entries={one.statuses.map(({ category, ...entry }) => ({ ...entry, value: category }))}
            options={optionsOf(m.categories)}
            onChoose={(name, value) => {
              const category = entriesOf(m.categories).find(([known]) => known === value)?.[0]
              if (category) void choose(id, { statuses: [{ name, category }] })
            }}
          />
          <Chosen
            title={m.people}
            hint={m.peopleHint}
            entries={one.people.map(({ user_id, ...entry }) => ({
              ...entry,
              value: user_id ?? '',
            }))}
            options={[
              { value: '', label: m.nobody },
              ...members.map((member) => ({ value: member.id, label: member.name })),
            ]}
            onChoose={(name, value) => choose(id, { people: [{ name, user_id: value || null }] })}
          />
          <Sample one={one} />
        </>
      )}
    </>
  )
}

/** Of a table: which column holds which field. */
function Columns({ one: { id, headers, columns } }: { one: Import }) {
  const options = [
    { value: '', label: m.noColumn },
    ...headers.map((header) => ({ value: header, label: header })),
  ]
  const set = (field: Field, column: string) => {
    const others = columns.filter((one) => one.field !== field)
    return choose(id, { columns: column === '' ? others : [...others, { field, column }] })
  }
  return (
    <section aria-label={m.columns}>
      <Band title={m.columns} />
      <div className="sheet-form set-form">
        {entriesOf(m.fields).map(([field, label]) => (
          <SelectField
            key={field}
            label={label}
            name={field}
            value={columns.find((one) => one.field === field)?.column ?? ''}
            options={options}
            onChange={({ target }) => void set(field, target.value)}
          />
        ))}
      </div>
    </section>
  )
}

interface ChosenProps {
  title: string
  hint?: string
  entries: readonly { name: string; count: number; value: string }[]
  options: readonly { value: string; label: string }[]
  onChoose: (name: string, value: string) => void
}

/** What each name in a file stands for. */
function Chosen({ title, hint, entries, options, onChoose }: ChosenProps) {
  if (entries.length === 0) return null
  return (
    <section aria-label={title}>
      <Band title={title} count={entries.length} />
      <div className="sheet-form set-form">
        {entries.map(({ name, count, value }) => (
          <SelectField
            key={name}
            label={String(count)}
            name={name}
            aria-label={name || m.allTasks}
            value={value}
            options={options}
            beside={<span>{name || m.allTasks}</span>}
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

const COLUMNS = m.sampleColumns.map((label) => ({ label }))

/** The first rows as they were understood. */
const Sample = ({ one: { sample } }: { one: Import }) => (
  <>
    <Band title={m.sample} />
    <Table label={m.sample} className="imported" columns={COLUMNS}>
      {sample.map((row) => (
        <Row key={row.number}>
          <Cell className="gut">{row.number}</Cell>
          <Cell>
            <span className="clip">{row.title}</span>
          </Cell>
          <Cell>{row.status}</Cell>
          <Cell>{row.due_date}</Cell>
          <Cell>{row.assignees.join(', ')}</Cell>
          <Cell>{row.tags.join(', ')}</Cell>
        </Row>
      ))}
    </Table>
  </>
)
