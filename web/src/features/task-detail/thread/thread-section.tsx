import './thread.css'
import { useActivity } from '../../../data/resources/activity.ts'
import { pendingComments, useComments } from '../../../data/resources/comments.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { DetailSection } from '../detail-section.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { ActivityEntry } from './activity-entry.tsx'
import { CommentEntry, PendingCommentEntry } from './comment-entry.tsx'
import { getOlderSource, mergeThread, type ThreadEntry } from './merge-thread.ts'
import { useScrollToLinkedComment, useScrollToSentComment } from './use-linked-comment.ts'

/** The comments and changes of the task in order of time, the newest last. */
export function ThreadSection() {
  const { task } = useOpenTask()
  const commentQuery = useComments(task.id)
  const activityQuery = useActivity(task.id)
  const pending = useAtom(pendingComments).filter(({ task_id }) => task_id === task.id)
  const comments = { list: commentQuery.comments ?? [], hasOlder: commentQuery.hasOlder }
  const activity = { list: activityQuery.activity ?? [], hasOlder: activityQuery.hasOlder }
  const entries = mergeThread(comments, activity, pending)
  const olderSource = getOlderSource(comments, activity)
  const loaded = commentQuery.comments !== undefined && activityQuery.activity !== undefined
  const loadOlder = olderSource === 'comments' ? commentQuery.loadOlder : activityQuery.loadOlder
  useScrollToLinkedComment(loaded, olderSource && loadOlder)
  useScrollToSentComment(pending)
  return (
    <DetailSection
      name="thread"
      title={taskDetailMessages.thread}
      gutter={task.comment_count > 0 && task.comment_count}
      end={taskDetailMessages.threadSays}
    >
      {commentQuery.error && (
        <ErrorMessage error={commentQuery.error} onRetry={commentQuery.retry} />
      )}
      {activityQuery.error && (
        <ErrorMessage error={activityQuery.error} onRetry={activityQuery.retry} />
      )}
      {!loaded && !commentQuery.error && !activityQuery.error && <Skeleton lines={3} />}
      {olderSource && (
        <div className="line older">
          <span className="gut" />
          <div>
            <Button kind="plain" icon="up" onClick={loadOlder}>
              {taskDetailMessages.older}
            </Button>
          </div>
        </div>
      )}
      <ol className="entries">
        {entries.map((entry) => (
          <li key={getEntryKey(entry)}>
            <ThreadItem entry={entry} />
          </li>
        ))}
      </ol>
    </DetailSection>
  )
}

function ThreadItem({ entry }: { entry: ThreadEntry }) {
  if (entry.kind === 'activity') return <ActivityEntry activity={entry.activity} />
  if (entry.kind === 'pending') return <PendingCommentEntry pending={entry.pending} />
  return <CommentEntry comment={entry.comment} replies={entry.replies} orphan={entry.orphan} />
}

const getEntryKey = (entry: ThreadEntry): string =>
  entry.kind === 'comment'
    ? entry.comment.id
    : entry.kind === 'activity'
      ? entry.activity.id
      : entry.pending.key
