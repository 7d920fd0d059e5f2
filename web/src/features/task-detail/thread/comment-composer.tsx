import './thread.css'
import { type Ref, useRef, useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { attachFiles } from '../../../data/resources/attachments.ts'
import { addComment, type Comment } from '../../../data/resources/comments.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { readDraft, saveDraft } from '../../../lib/state/drafts.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { focusIfLost, isFocusLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { MarkdownEditor, type MarkdownEditorHandle } from '../../../ui/markdown/markdown-editor.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { taskSearch } from '../links/task-search.ts'
import { useOpenTask } from '../open-task-context.ts'
import { toAttachmentMarkdown } from '../title-and-description/task-description.tsx'
import { useMarkdownReferences } from '../title-and-description/task-markdown.tsx'
import { useBlockReasons } from '../use-block-reasons.ts'
import { getCommentDraftKey, useDeletedCommentDrafts } from './use-deleted-comment-drafts.ts'

/** The comment field at the bottom; it opens when it is pressed, or when a draft is stored. */
export function CommentComposer() {
  const { task } = useOpenTask()
  const { session } = useBoot('session')
  const { write } = useBlockReasons()
  const key = `comment.${task.id}`
  const [open, setOpen] = useState<'draft' | 'pressed' | undefined>(() =>
    readDraft(key) === undefined ? undefined : 'draft',
  )
  const container = useRef<HTMLDivElement>(null)
  const editor = useRef<MarkdownEditorHandle>(null)
  const focusField = () =>
    focusIfLost(() => container.current?.querySelector<HTMLElement>('[data-does="comment"]'))
  const close = () => {
    setOpen(undefined)
    focusField()
  }
  useDeletedCommentDrafts(task.id, (text) => {
    // The person may be typing on, and keys outside of fields are shortcuts: the field takes the focus.
    if (editor.current) {
      editor.current.append(text)
      focusField()
    } else {
      saveDraft(key, text)
      setOpen(open ?? (isFocusLost() ? 'pressed' : 'draft'))
    }
    showToast({ text: taskDetailMessages.draftMoved, tone: 'trouble' })
  })
  return (
    <div className="line write" data-open={open !== undefined || undefined} ref={container}>
      <span className="gut">
        <Avatar name={session.user.name} me />
      </span>
      <div>
        {open ? (
          <CommentBox
            ref={editor}
            draftKey={key}
            parent_id={null}
            focus={open === 'pressed'}
            onDone={close}
          />
        ) : (
          <button
            type="button"
            className="field"
            data-does="comment"
            aria-disabled={write !== undefined || undefined}
            title={write}
            onClick={() => write === undefined && setOpen('pressed')}
          >
            {write ?? taskDetailMessages.commentHint}
          </button>
        )}
      </div>
    </div>
  )
}

/** The field for a reply to a comment. */
export function ReplyComposer({ parent, onDone }: { parent: Comment; onDone: () => void }) {
  const draftKey = getCommentDraftKey('reply', parent)
  return <CommentBox draftKey={draftKey} parent_id={parent.id} focus onDone={onDone} />
}

interface CommentBoxProps {
  draftKey: string
  parent_id: string | null
  focus: boolean
  onDone: () => void
  ref?: Ref<MarkdownEditorHandle>
}

function CommentBox({ draftKey, parent_id, focus, onDone, ref }: CommentBoxProps) {
  const { task } = useOpenTask()
  const { members, settings } = useBoot('members', 'settings')
  const { write } = useBlockReasons()
  const references = useMarkdownReferences()
  const send = (body: string) => {
    if (body.trim() === '') return
    addComment({ task_id: task.id, body, parent_id })
    onDone()
  }
  const attach = async (files: File[]) => {
    const attachments = await attachFiles(task.id, files, settings.max_attachment_bytes)
    return attachments.map(toAttachmentMarkdown)
  }
  return (
    <MarkdownEditor
      {...(ref && { ref })}
      label={parent_id === null ? taskDetailMessages.comment : taskDetailMessages.reply}
      {...(parent_id === null && { does: 'comment' })}
      draftKey={draftKey}
      people={members}
      tasks={taskSearch}
      placeholder={
        parent_id === null ? taskDetailMessages.commentHint : taskDetailMessages.replyHint
      }
      autoFocus={focus}
      submitLabel={taskDetailMessages.send}
      reason={write}
      references={references}
      onSave={send}
      onCancel={onDone}
      onFiles={attach}
    />
  )
}
