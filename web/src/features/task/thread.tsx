import { useEffect } from 'react'
import { useActivity } from '../../data/activity.ts'
import {
  hiddenComments,
  pendingComments,
  resumeComments,
  useComments,
} from '../../data/comments.ts'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { ActivityEntry } from './activity-entry.tsx'
import { CommentEntry, PendingEntry } from './comment-entry.tsx'
import { useOpenTask } from './open-task.ts'
import { Section } from './section.tsx'
import { type Entry, olderOf, threadOf } from './thread-order.ts'
import { useAimed } from './use-aim.ts'

/** What was said and done, in the order of time; the newest stands at the end. */
export function Thread() {
  const { task } = useOpenTask()
  const said = useComments(task.id)
  const done = useActivity(task.id)
  const hidden = useSignal(hiddenComments)
  const pending = useSignal(pendingComments).filter(({ task_id }) => task_id === task.id)
  useEffect(() => resumeComments(task.id), [task.id])
  const comments = {
    list: (said.comments ?? []).filter(({ id }) => !hidden.has(id)),
    hasOlder: said.hasOlder,
  }
  const activity = { list: done.activity ?? [], hasOlder: done.hasOlder }
  const entries = threadOf(comments, activity, pending)
  const older = olderOf(comments, activity)
  const loaded = said.comments !== undefined && done.activity !== undefined
  const loadOlder = older === 'comments' ? said.loadOlder : done.loadOlder
  useAimed(loaded, older && loadOlder)
  return (
    <Section name="thread" title={m.thread} gutter={task.comment_count} end={m.threadSays}>
      {said.error && <Trouble error={said.error} onRetry={said.retry} />}
      {done.error && <Trouble error={done.error} onRetry={done.retry} />}
      {!loaded && !said.error && !done.error && <Skeleton lines={3} />}
      {older && (
        <div className="line older">
          <span className="gut" />
          <div>
            <Button kind="plain" icon="up" onClick={loadOlder}>
              {m.older}
            </Button>
          </div>
        </div>
      )}
      <ol className="entries">
        {entries.map((entry) => (
          <li key={keyOf(entry)}>
            <One entry={entry} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

function One({ entry }: { entry: Entry }) {
  if (entry.kind === 'activity') return <ActivityEntry activity={entry.activity} />
  if (entry.kind === 'pending') return <PendingEntry pending={entry.pending} />
  return <CommentEntry comment={entry.comment} replies={entry.replies} orphan={entry.orphan} />
}

const keyOf = (entry: Entry): string =>
  entry.kind === 'comment'
    ? entry.comment.id
    : entry.kind === 'activity'
      ? entry.activity.id
      : entry.pending.key
