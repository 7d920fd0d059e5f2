import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { mutationQueue } from '../../../data/mutations/mutation-queue.ts'
import {
  type Comment,
  deleteCommentWithUndo,
  type PendingComment,
} from '../../../data/resources/comments.ts'
import { useBoot, useMemberNames, useViewerId } from '../../../data/session/boot.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { Button } from '../../../ui/form/button.tsx'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { MarkdownEditor } from '../../../ui/markdown/markdown-editor.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import { runAfterMenu } from '../../../ui/overlays/overlay-stack.ts'
import { clearDraftBase, readDraftBase, saveDraftBase } from '../draft-base.ts'
import { taskSearch } from '../links/task-search.ts'
import { TaskMarkdown, useMarkdownReferences } from '../title-and-description/task-markdown.tsx'
import { useBlockReasons } from '../use-block-reasons.ts'
import { ReplyComposer } from './comment-composer.tsx'
import type { CommentReply } from './merge-thread.ts'
import { getCommentDraftKey } from './use-deleted-comment-drafts.ts'
import { useLinkedCommentId } from './use-linked-comment.ts'
import '../conflicts/conflicts.css'
import { discardMutation, retryMutation } from '../../../data/mutations/mutation-queue.ts'
import { updateCommentText, useCommentConflict } from '../../../data/resources/comments.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { recordChangeMessages } from '../../../messages/app/record-changes.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { MergeEditor } from '../conflicts/merge-editor.tsx'

interface CommentEntryProps {
  comment: Comment
  replies: readonly CommentReply[]
  /** The comment it replies to is not loaded, or is deleted. */
  orphan: boolean
}

/** A comment with its replies. */
export function CommentEntry({ comment, replies, orphan }: CommentEntryProps) {
  const { write } = useBlockReasons()
  const [replying, setReplying] = useState(false)
  const answer = useRef<HTMLButtonElement>(null)
  const stopReplying = () => {
    setReplying(false)
    focusIfLost(() => answer.current)
  }
  const linkedId = useLinkedCommentId()
  const anchorProps = (id: string) => ({ id, ...(id === linkedId && { 'data-aim': true }) })
  return (
    <article className="line entry say" {...anchorProps(comment.id)}>
      <span className="gut">
        <FormattedInstant at={comment.created_at} style="gutter" />
      </span>
      <div>
        {orphan && <p className="quiet">{taskDetailMessages.toOlder}</p>}
        <CommentText comment={comment} />
        {replies.map((reply) => (
          <div
            key={reply.kind === 'sent' ? reply.comment.id : reply.pending.key}
            className="reply"
            {...(reply.kind === 'sent' && anchorProps(reply.comment.id))}
          >
            {reply.kind === 'sent' ? (
              <CommentText comment={reply.comment} dated />
            ) : (
              <PendingText pending={reply.pending} />
            )}
          </div>
        ))}
        {replying ? (
          <div className="reply">
            <ReplyComposer parent={comment} onDone={stopReplying} />
          </div>
        ) : (
          comment.parent_id === null && (
            <Button
              ref={answer}
              kind="plain"
              className="answer"
              reason={write}
              onClick={() => setReplying(true)}
            >
              {taskDetailMessages.reply}
            </Button>
          )
        )}
      </div>
    </article>
  )
}

/** What was being edited when its element left the page a moment ago. */
let interruptedEdit: Comment | undefined

/** The text of a comment, which its author can edit. */
function CommentText({ comment, dated }: { comment: Comment; dated?: boolean }) {
  const me = useViewerId()
  const { members } = useBoot('members')
  const { editComment: editBlocked, removeComment: removeBlocked } = useBlockReasons()
  const references = useMarkdownReferences()
  /** The comment as it was when its text began to be edited. */
  const [base, setBase] = useState<Comment>()
  const more = useRef<HTMLButtonElement>(null)
  const { id, author, author_id, body, created_at, edited_at, source } = comment
  const draftKey = getCommentDraftKey('edit', comment)
  const editFrom = (from: Comment) => {
    saveDraftBase(id, { body: from.body, updated_at: from.updated_at })
    setBase(from)
  }
  const stopEditing = () => {
    setBase(undefined)
    focusIfLost(() => more.current)
  }
  // A reply gets another element when the comment above it is deleted. It is edited on there, and what
  // is typed meanwhile must not reach the shortcuts of the task.
  const interrupt = useEffectEvent(() => {
    if (!base) return
    interruptedEdit = base
    setTimeout(() => (interruptedEdit = undefined))
  })
  useEffect(() => {
    if (interruptedEdit?.id === id) setBase(interruptedEdit)
    return () => interrupt()
  }, [id])
  return (
    <>
      <div className="by">
        <Avatar name={author.name} me={author_id === me} named />
        {dated && (
          <span className="quiet mono">
            <FormattedInstant at={created_at} style="gutter" />
          </span>
        )}
        {edited_at && <span className="quiet">{taskDetailMessages.edited}</span>}
        {taskDetailMessages.sources[source] && (
          <span className="quiet">{taskDetailMessages.sources[source]}</span>
        )}
        <span className="end">
          <MenuButton
            ref={more}
            label={taskDetailMessages.moreOf(author.name)}
            items={[
              {
                id: 'edit',
                label: taskDetailMessages.edit,
                icon: 'edit',
                reason: editBlocked(author_id),
                run: () =>
                  runAfterMenu(() => editFrom(readDraftBase(comment, draftKey) ?? comment)),
              },
              {
                id: 'delete',
                label: taskDetailMessages.remove,
                icon: 'trash',
                danger: true,
                reason: removeBlocked(author_id),
                run: () => deleteCommentWithUndo(comment),
              },
            ]}
          >
            <Icon name="dots" />
          </MenuButton>
        </span>
      </div>
      <CommentConflict id={id} />
      {base ? (
        <MarkdownEditor
          // The editor takes its text when it is mounted.
          key={base.updated_at}
          label={taskDetailMessages.comment}
          source={base.body}
          draftKey={draftKey}
          people={members}
          tasks={taskSearch}
          autoFocus
          references={references}
          onSave={(text) => {
            if (text.trim() !== '' && text !== base.body) updateCommentText(base, text)
            clearDraftBase(id)
            stopEditing()
          }}
          onCancel={stopEditing}
          onDropDraft={() => editFrom(comment)}
        />
      ) : (
        <TaskMarkdown source={body} className="prose said" />
      )}
    </>
  )
}

/** A top-level comment that is not yet saved. */
export const PendingCommentEntry = ({ pending }: { pending: PendingComment }) => (
  <article className="line entry say">
    <span className="gut">
      <FormattedInstant at={pending.created_at} style="gutter" />
    </span>
    <div>
      <PendingText pending={pending} />
    </div>
  </article>
)

function PendingText({ pending: { key, body } }: { pending: PendingComment }) {
  const me = useViewerId()
  const nameOf = useMemberNames()
  const mutation = useAtom(mutationQueue).find((one) => one.key === key)
  return (
    <>
      <div className="by" data-sending={key}>
        <Avatar name={nameOf(me)} me named />
        {mutation?.state === 'unsaved' ? (
          <>
            <span className="bad" role="alert">
              {taskDetailMessages.unsaved}
            </span>
            <Button onClick={() => retryMutation(key)}>{taskDetailMessages.retry}</Button>
            <Button kind="plain" onClick={() => discardMutation(key)}>
              {taskDetailMessages.discard}
            </Button>
          </>
        ) : (
          <span className="quiet">{taskDetailMessages.sending}</span>
        )}
      </div>
      <TaskMarkdown source={body} className="prose said" />
    </>
  )
}

/** Resolves a new text of a comment whose author has changed it elsewhere in the meantime. */
function CommentConflict({ id }: { id: string }) {
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
