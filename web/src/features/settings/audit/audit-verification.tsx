import { useInfiniteQuery } from '@tanstack/react-query'
import { formatDayTime } from '../../../lib/dates/instant.ts'
import { auditMessages } from '../../../messages/settings/audit.ts'
import { InlineError } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { auditChecksQuery } from './audit-queries.ts'

/** Verifies the hash chain of the log from its end, and shows how far back it is intact. */
export function AuditVerification() {
  const checks = useInfiniteQuery(auditChecksQuery)
  const pages = checks.data?.pages
  const last = pages?.at(-1)
  const newest = pages?.[0]?.to ?? 0
  // Pages overlap by one entry, so the count is taken from the sequences and not summed up.
  const checkedCount = last ? newest - (last.from ?? newest + 1) + 1 : 0
  const since = last?.from_at
  return (
    <div className="line set-note">
      <span className="gut" />
      <div className="acts">
        <span role="status">
          {!pages && !checks.error && auditMessages.checking}
          {last?.fault && <b className="bad">{auditMessages.broken(last.fault.message)}</b>}
          {last && !last.fault && !last.has_more && auditMessages.all(checkedCount)}
          {last &&
            !last.fault &&
            last.has_more &&
            since &&
            auditMessages.checked(checkedCount, formatDayTime(since))}
        </span>
        {checks.error && <InlineError error={checks.error} />}
        {checks.hasNextPage && (
          <Button busy={checks.isFetchingNextPage} onClick={() => void checks.fetchNextPage()}>
            {auditMessages.checkMore}
          </Button>
        )}
      </div>
    </div>
  )
}
