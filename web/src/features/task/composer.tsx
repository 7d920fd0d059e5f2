import { useRef, useState } from 'react'
import { useBoot } from '../../data/boot.ts'
import { addComment } from '../../data/comments.ts'
import { keepDraft, readDraft } from '../../lib/drafts.ts'
import { m } from '../../messages/task.ts'
import { MarkdownEditor } from '../../ui/markdown-editor.tsx'
import { Person } from '../../ui/person.tsx'
import { refocus } from '../../ui/refocus.ts'
import { attachFiles } from './attach.ts'
import { markdownOf } from './description.tsx'
import { useOpenTask } from './open-task.ts'
import { usePreview } from './prose.tsx'
import { useRights } from './rights.ts'

/** The line at the foot to write a comment in; it opens when it is used, or when a draft is in it. */
export function Composer() {
  const { task } = useOpenTask()
  const { session } = useBoot()
  const { write } = useRights()
  const key = `comment.${task.id}`
  const [open, setOpen] = useState<'draft' | 'asked' | undefined>(() =>
    readDraft(key) === undefined ? undefined : 'draft',
  )
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(undefined)
    refocus(() => button.current)
  }
  return (
    <div className="line write" data-open={open !== undefined || undefined}>
      <span className="gut">
        <Person name={session.user.name} me />
      </span>
      <div>
        {open ? (
          <CommentBox draftKey={key} parent_id={null} focus={open === 'asked'} onDone={close} />
        ) : (
          <button
            ref={button}
            type="button"
            className="field"
            data-does="comment"
            aria-disabled={write !== undefined || undefined}
            title={write}
            onClick={() => write === undefined && setOpen('asked')}
          >
            {write ?? m.commentHint}
          </button>
        )}
      </div>
    </div>
  )
}

/** A box to answer a comment in. */
export function ReplyBox({ parent_id, onDone }: { parent_id: string; onDone: () => void }) {
  return <CommentBox draftKey={`reply.${parent_id}`} parent_id={parent_id} focus onDone={onDone} />
}

interface BoxProps {
  draftKey: string
  parent_id: string | null
  focus: boolean
  onDone: () => void
}

function CommentBox({ draftKey, parent_id, focus, onDone }: BoxProps) {
  const { task } = useOpenTask()
  const { members, settings } = useBoot()
  const { write } = useRights()
  const preview = usePreview()
  const send = (body: string) => {
    if (body.trim() === '') return
    addComment({
      task_id: task.id,
      body,
      parent_id,
      // A text that is refused for good is not lost: it comes back as a draft.
      refused: () => keepDraft(draftKey, body),
    })
    onDone()
  }
  const attach = async (files: File[]) => {
    const made = await attachFiles(task.id, files, settings.max_attachment_bytes)
    return made.map(markdownOf).join('\n')
  }
  return (
    <MarkdownEditor
      label={parent_id === null ? m.comment : m.reply}
      draftKey={draftKey}
      people={members}
      placeholder={parent_id === null ? m.commentHint : m.replyHint}
      rows={3}
      autoFocus={focus}
      submitLabel={m.send}
      reason={write}
      preview={preview}
      onSave={send}
      onCancel={onDone}
      onFiles={attach}
    />
  )
}
