import type { Activity } from '../../../data/resources/activity.ts'
import { useHeldProject } from '../../../data/tasks/held-tasks.ts'
import { getCachedTasks, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { activityMessages as words } from '../../../messages/tasks/activity.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { useNameLookup } from '../formatting/use-name-lookup.ts'
import { TaskLink } from '../links/task-link.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { ActivityPhrases } from './activity-phrases.tsx'
import { type ActivityPhrase, describeChanges } from './describe-changes.ts'

/** One change: its author, API key or application, and the values before and after. */
export function ActivityEntry({ activity }: { activity: Activity }) {
  const names = useNameLookup()
  const { at, actor } = activity
  const phrases = getPhrases(activity, names)
  return (
    <div className="line entry">
      <span className="gut">
        <FormattedInstant at={at} style="gutter" />
      </span>
      <p>
        <strong>{actor.name ?? taskDetailMessages.somebody}</strong>{' '}
        {actor.credential_name && (
          <>
            {actor.type === 'app' ? taskDetailMessages.byApp : taskDetailMessages.byKey}{' '}
            <span className="mono">{actor.credential_name}</span>{' '}
          </>
        )}
        <ActivityPhrases phrases={phrases} />
        {endsRepetition(activity) && <NextOccurrence />}
      </p>
    </div>
  )
}

/** Whether the task handed its rule on to its next occurrence, if it has one. */
const endsRepetition = ({ kind, changes }: Activity): boolean =>
  kind === 'completed' && changes.recurrence?.to === null

/** The next occurrence of the open task, which may have been deleted. */
function NextOccurrence() {
  const { task, showTask } = useOpenTask()
  useHeldProject(task.project_id)
  useTasksRevision()
  const next = getCachedTasks().find(({ recurred_from_id }) => recurred_from_id === task.id)
  if (!next?.due_date) return null
  return (
    <>
      {`. ${taskDetailMessages.repeatNext([formatDay(next.due_date)])} `}
      <TaskLink className="no" shortId={next.short_id} onGo={showTask}>
        <ShortId id={next.short_id} />
      </TaskLink>
    </>
  )
}

function getPhrases(activity: Activity, names: ReturnType<typeof useNameLookup>): ActivityPhrase[] {
  const { kind, changes } = activity
  const verb = words.kinds[kind]
  if (kind === 'attachment_deleted') {
    return [{ verb: words.kinds[kind] ?? kind, to: String(changes.filename?.from ?? '') }]
  }
  const { recurrence: _, ...others } = changes
  const fieldPhrases = describeChanges(endsRepetition(activity) ? others : changes, names)
  // "Moved To do → Done" would repeat what "completed it" says already.
  if (verb !== undefined)
    return [{ verb }, ...fieldPhrases.filter(({ verb: one }) => one !== words.moved)]
  return fieldPhrases.length > 0 ? fieldPhrases : [{ verb: words.other(kind) }]
}
