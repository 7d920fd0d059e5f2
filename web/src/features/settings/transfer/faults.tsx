import { useQuery } from '@tanstack/react-query'
import type { Import } from '#resources/imports/internal.ts'
import { saveCsv } from '../../../lib/csv.ts'
import { m } from '../../../messages/transfer.ts'
import { Button } from '../../../ui/button.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../head.tsx'
import { faultsQuery } from './queries.ts'

const COLUMNS = m.faultColumns.map((label) => ({ label }))
const SHOWN = 50

/** The rows of which no task can be made, and why; all of them as a file. */
export function Faults({ one }: { one: Import }) {
  const { data, error, refetch } = useQuery(faultsQuery(one))
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const save = () => {
    const lines = data.map(({ number, title, message }) => [String(number), title, message])
    saveCsv(`${one.filename}.errors.csv`, [m.faultColumns, ...lines])
  }
  return (
    <section aria-label={m.faults}>
      <Band
        title={m.faults}
        count={one.failed_count}
        acts={<Button onClick={save}>{m.download}</Button>}
      />
      <Table label={m.faults} className="faulty" columns={COLUMNS}>
        {data.slice(0, SHOWN).map(({ number, title, message }) => (
          <Row key={number}>
            <Cell className="gut">{number}</Cell>
            <Cell>
              <span className="clip">{title}</span>
            </Cell>
            <Cell>{message}</Cell>
          </Row>
        ))}
      </Table>
    </section>
  )
}
