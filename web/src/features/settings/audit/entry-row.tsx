import type { AuditEntry } from '#resources/audit/internal.ts'
import { nameOf, useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/audit.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Person } from '../../../ui/person.tsx'
import { Cell, Row } from '../../../ui/table.tsx'

/** An entry: the ids that it holds are shown by the names that they have now. */
export function EntryRow({ entry }: { entry: AuditEntry }) {
  const boot = useBoot()
  const { at, actor_id, action, subject_id, subject_name, details } = entry
  const shown = Object.entries(details)
    .map(([name, value]) => `${name}: ${said(value, (id) => nameOf(boot, id))}`)
    .join(', ')
  return (
    <Row>
      <Cell className="gut">
        <Moment at={at} style="gutter" />
      </Cell>
      <Cell>
        {actor_id ? (
          <Person name={nameOf(boot, actor_id)} me={actor_id === boot.session.user.id} named />
        ) : (
          <span className="quiet">{m.system}</span>
        )}
      </Cell>
      <Cell>{m.actions[action]}</Cell>
      <Cell className="clip" title={subject_id ?? ''}>
        {subject_name ?? <span className="mono quiet">{subject_id}</span>}
      </Cell>
      <Cell className="clip quiet" title={shown}>
        {shown}
      </Cell>
    </Row>
  )
}

function said(value: unknown, name: (id: string) => string): string {
  if (typeof value === 'string') return value.startsWith('usr_') ? name(value) : value
  if (Array.isArray(value)) return value.map((one) => said(one, name)).join(' ')
  return value === null ? '-' : JSON.stringify(value)
}
