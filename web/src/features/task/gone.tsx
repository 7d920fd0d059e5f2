import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { nameOf, useBoot } from '../../data/boot.ts'
import { readNear, readTrashed } from '../../data/gone.ts'
import { restore } from '../../data/task-writes.ts'
import { toast } from '../../data/toasts.ts'
import { dayOf, formatDay } from '../../lib/day.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { ShortId } from '../../ui/short-id.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TroubleLine } from '../../ui/trouble.tsx'
import { TaskLink } from './task-link.tsx'

interface Props {
  shortId: string
  page: boolean
  /** Where it was known before it was deleted. */
  id: string | undefined
  onOpen: (shortId: string) => void
  onRestored: () => void
}

/** No task to show: it is in the bin and can be restored, or there is none of that number and perhaps a near one. */
export function Gone({ shortId, page, id, onOpen, onRestored }: Props) {
  const name = id ?? shortId
  const { data, error } = useQuery({
    queryKey: ['gone', name],
    queryFn: async () => {
      const trashed = await readTrashed(name)
      return { trashed, near: trashed ? [] : await readNear(shortId) }
    },
    staleTime: 0,
  })
  if (error) return <TroubleLine error={error} />
  if (!data) return <Skeleton lines={2} />
  if (data.trashed) return <InTheBin page={page} trashed={data.trashed} onRestored={onRestored} />
  return (
    <div className="line gone">
      <span className="gut">404</span>
      <div>
        <Heading page={page}>{m.unknown(shortId.toUpperCase())}</Heading>
        <p>{m.unknownWhy}</p>
        {data.near.length > 0 && (
          <>
            <p className="quiet">{m.near}</p>
            <ul>
              {data.near.map(({ short_id, title }) => (
                <li key={short_id} className="task-ref">
                  <TaskLink className="no" shortId={short_id} onGo={onOpen}>
                    <ShortId id={short_id} />
                  </TaskLink>
                  <TaskLink className="clip" shortId={short_id} onGo={onOpen}>
                    {title}
                  </TaskLink>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  )
}

type Trashed = NonNullable<Awaited<ReturnType<typeof readTrashed>>>

interface BinProps {
  page: boolean
  trashed: Trashed
  onRestored: () => void
}

function InTheBin({ page, trashed, onRestored }: BinProps) {
  const boot = useBoot()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act = async () => {
    setBusy(true)
    try {
      const { short_id } = await restore(trashed.id)
      toast({ text: m.restored(short_id) })
      onRestored()
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
  }
  return (
    <div className="line gone">
      <span className="gut" />
      <div>
        <Heading page={page}>{trashed.title}</Heading>
        <p>
          {m.gone}.{' '}
          {m.goneUntil(
            trashed.deleted_by_id ? nameOf(boot, trashed.deleted_by_id) : m.somebody,
            formatDay(dayOf(trashed.purged_at)),
          )}
        </p>
        {error !== undefined && <TroubleLine error={error} />}
        <div className="acts">
          <Button kind="primary" busy={busy} onClick={act}>
            {m.restore}
          </Button>
        </div>
      </div>
    </div>
  )
}

function Heading({ page, children }: { page: boolean; children: ReactNode }) {
  const Level = page ? 'h1' : 'h2'
  return (
    <Level className="h" data-heading tabIndex={-1}>
      {children}
    </Level>
  )
}
