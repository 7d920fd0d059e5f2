import { Fragment } from 'react'
import type { Activity } from '../../data/activity.ts'
import { m as words } from '../../messages/activity.ts'
import { m } from '../../messages/task.ts'
import { Icon } from '../../ui/icon.tsx'
import { Moment } from '../../ui/moment.tsx'
import { type Deed, deedsOf } from './activity-words.ts'
import { useNames } from './names.ts'

/** One change: who, by which key or application, what it was and what it is. */
export function ActivityEntry({ activity }: { activity: Activity }) {
  const names = useNames()
  const { at, actor } = activity
  const deeds = allDeeds(activity, names)
  return (
    <div className="line entry">
      <span className="gut">
        <Moment at={at} style="gutter" />
      </span>
      <p>
        <strong>{actor.name ?? m.somebody}</strong>{' '}
        {actor.credential_name && (
          <>
            {actor.type === 'app' ? m.byApp : m.byKey}{' '}
            <span className="mono">{actor.credential_name}</span>{' '}
          </>
        )}
        {deeds.map((deed, index) => (
          <Fragment key={`${deed.verb} ${deed.to ?? ''}`}>
            {index > 0 && ', '}
            <OneDeed deed={deed} />
          </Fragment>
        ))}
      </p>
    </div>
  )
}

const OneDeed = ({ deed: { verb, from, to } }: { deed: Deed }) => (
  <>
    {verb}
    {from !== undefined && (
      <>
        {' '}
        {from} <Icon name="arrow" label={m.becomes} />
      </>
    )}
    {to !== undefined && ` ${to}`}
  </>
)

function allDeeds({ kind, changes }: Activity, names: ReturnType<typeof useNames>): Deed[] {
  const verb = words.kinds[kind]
  if (kind === 'attachment_deleted') {
    return [{ verb: words.kinds[kind] ?? kind, to: String(changes.filename?.from ?? '') }]
  }
  const told = deedsOf(changes, names)
  // That a status was left and another entered says nothing beside "completed it".
  if (verb !== undefined) return [{ verb }, ...told.filter(({ verb: one }) => one !== words.moved)]
  return told.length > 0 ? told : [{ verb: words.other(kind) }]
}
