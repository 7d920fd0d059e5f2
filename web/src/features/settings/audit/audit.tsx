import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { manages, useBoot } from '../../../data/boot.ts'
import { m } from '../../../messages/audit.ts'
import { m as common } from '../../../messages/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Head } from '../head.tsx'
import { Checked } from './checked.tsx'
import { EntryRow } from './entry-row.tsx'
import { ANY, Filters } from './filters.tsx'
import { auditQuery, filterOf } from './queries.ts'
import { SaveLines } from './save-lines.tsx'

const COLUMNS = m.columns.map((label) => ({ label }))

/** Who did what in the workspace, and whether anybody has rewritten it since. */
export function Audit() {
  const boot = useBoot()
  if (manages(boot)) return <Log />
  const role = common.roleWords[boot.session.user.role]
  return (
    <Head title={common.sections.audit}>
      {m.why} {common.needsAdmin(role)}
    </Head>
  )
}

function Log() {
  const [wanted, setWanted] = useState(ANY)
  const filter = filterOf(wanted)
  const log = useInfiniteQuery(auditQuery(filter))
  const entries = log.data?.pages.flatMap(({ data }) => data)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <Head title={common.sections.audit} acts={<SaveLines filter={filter} />}>
        {m.why}
      </Head>
      <div className="scroll">
        <Checked />
        <Filters wanted={wanted} onChange={setWanted} />
        {log.error && <Trouble error={log.error} onRetry={() => void log.refetch()} />}
        {!entries && !log.error && <Skeleton rows={8} />}
        {entries && entries.length > 0 && (
          <Table label={common.sections.audit} className="audit" columns={COLUMNS}>
            {entries.map((entry) => (
              <EntryRow key={entry.sequence} entry={entry} />
            ))}
          </Table>
        )}
        {entries?.length === 0 && (
          <Empty text={m.none}>
            {isFiltered && <Button onClick={() => setWanted(ANY)}>{m.clear}</Button>}
          </Empty>
        )}
        {log.hasNextPage && (
          <div className="line more-line">
            <span className="gut" />
            <div className="acts">
              <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                {common.more}
              </Button>
            </div>
          </div>
        )}
      </div>
    </>
  )
}
