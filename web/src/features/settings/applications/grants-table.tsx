import type { ReactNode } from 'react'
import { m } from '../../../messages/applications.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { scopeWords } from './scope-words.ts'

/** What is shown of an authorisation, whichever side looks at it. */
interface Shown {
  id: string
  scopes: readonly string[]
  created_at: string
  last_used_at: string | null
}

interface Props<T extends Shown> {
  label: string
  columns: readonly string[]
  grants: readonly T[]
  /** Whom or what it is with. */
  nameOf: (grant: T) => string
  /** What can be done with one, at its end. */
  acts?: (grant: T) => ReactNode
}

/** Authorisations: since when, with whom, what for, when used last. */
export function GrantsTable<T extends Shown>({ label, columns, grants, nameOf, acts }: Props<T>) {
  const heads = columns.map((head) => ({ label: head }))
  if (acts) heads.push(ACTIONS)
  return (
    <Table label={label} className="grants" columns={heads}>
      {grants.map((grant) => (
        <Row key={grant.id}>
          <Cell className="gut">
            <Moment at={grant.created_at} style="gutter" />
          </Cell>
          <Cell>
            <span className="clip" title={nameOf(grant)}>
              {nameOf(grant)}
            </span>
          </Cell>
          <Cell>{scopeWords(grant.scopes)}</Cell>
          <Cell>{grant.last_used_at ? <Moment at={grant.last_used_at} /> : m.neverUsed}</Cell>
          {acts && <Cell className="end">{acts(grant)}</Cell>}
        </Row>
      ))}
    </Table>
  )
}

const ACTIONS = { label: m.actionsColumn, hidden: true }
