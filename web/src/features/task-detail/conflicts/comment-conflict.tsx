import './conflicts.css'
import { discardMutation, retryMutation } from '../../../data/mutations/mutation-queue.ts'
import { updateCommentText, useCommentConflict } from '../../../data/resources/comments.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { recordChangeMessages } from '../../../messages/app/record-changes.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { MergeEditor } from './merge-editor.tsx'

/** Resolves a new text of a comment whose author has changed it elsewhere in the meantime. */
export function CommentConflict({ id }: { id: string }) {
  const conflict = useCommentConflict(id)
  if (!conflict) return null
  const { key, mergeBase, base: theirs, patch } = conflict
  return (
    <div className="strip wide" role="alert">
      <span>
        {taskDetailMessages.theyChangedAt(
          theirs.author.name,
          recordChangeMessages.comment,
          formatTime(theirs.updated_at),
        )}
      </span>
      <MergeEditor
        key={`${key} ${theirs.updated_at}`}
        base={mergeBase.body}
        mine={patch.body}
        theirs={theirs.body}
        draftKey={`merge.${key}`}
        onMine={() => retryMutation(key)}
        onTheirs={() => discardMutation(key)}
        onMerged={(text) => updateCommentText(theirs, text)}
      />
    </div>
  )
}
