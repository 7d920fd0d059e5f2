import { useInfiniteQuery } from '@tanstack/react-query'
import { dayTimeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/audit.ts'
import { Button } from '../../../ui/button.tsx'
import { TroubleLine } from '../../../ui/trouble.tsx'
import { checksQuery } from './queries.ts'

/** How far back the log is known to be as it was written. */
export function Checked() {
  const checks = useInfiniteQuery(checksQuery)
  const pages = checks.data?.pages
  const last = pages?.at(-1)
  const newest = pages?.[0]?.to ?? 0
  // Each stretch begins with the entry that ended the one before.
  const looked = last ? newest - (last.from ?? newest + 1) + 1 : 0
  const since = last?.from_at
  return (
    <div className="line set-note">
      <span className="gut" />
      <div className="acts">
        <span role="status">
          {!pages && !checks.error && m.checking}
          {last?.fault && <b className="bad">{m.broken(last.fault.message)}</b>}
          {last && !last.fault && !last.has_more && m.all(looked)}
          {last && !last.fault && last.has_more && since && m.checked(looked, dayTimeOf(since))}
        </span>
        {checks.error && <TroubleLine error={checks.error} />}
        {checks.hasNextPage && (
          <Button busy={checks.isFetchingNextPage} onClick={() => void checks.fetchNextPage()}>
            {m.checkMore}
          </Button>
        )}
      </div>
    </div>
  )
}
