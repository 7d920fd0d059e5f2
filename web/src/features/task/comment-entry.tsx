import { useState } from 'react'
import { nameOf, useBoot } from '../../data/boot.ts'
import {
  type Comment,
  editComment,
  type PendingComment,
  removeComment,
} from '../../data/comments.ts'
import { discard, retry, waiting } from '../../data/queue.ts'
import { useSignal } from '../../lib/signal.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MarkdownEditor } from '../../ui/markdown-editor.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Person } from '../../ui/person.tsx'
import { ReplyBox } from './composer.tsx'
import { Prose, usePreview } from './prose.tsx'
import { useRights } from './rights.ts'
import type { Reply } from './thread-order.ts'
import { useAim } from './use-aim.ts'

interface Props {
  comment: Comment
  replies: readonly Reply[]
  /** What it answers was not read, or is gone. */
  orphan: boolean
}

/** A comment with what was answered to it. */
export function CommentEntry({ comment, replies, orphan }: Props) {
  const { write } = useRights()
  const [replying, setReplying] = useState(false)
  const aim = useAim()
  const placeOf = (id: string) => ({ id, ...(id === aim && { 'data-aim': true }) })
  return (
    <article className="line entry say" {...placeOf(comment.id)}>
      <span className="gut">
        <Moment at={comment.created_at} style="gutter" />
      </span>
      <div>
        {orphan && <p className="quiet">{m.toOlder}</p>}
        <Said comment={comment} />
        {replies.map((reply) => (
          <div
            key={reply.kind === 'sent' ? reply.comment.id : reply.pending.key}
            className="reply"
            {...(reply.kind === 'sent' && placeOf(reply.comment.id))}
          >
            {reply.kind === 'sent' ? (
              <Said comment={reply.comment} dated />
            ) : (
              <Pending pending={reply.pending} />
            )}
          </div>
        ))}
        {replying ? (
          <div className="reply">
            <ReplyBox parent_id={comment.id} onDone={() => setReplying(false)} />
          </div>
        ) : (
          comment.parent_id === null && (
            <Button
              kind="plain"
              className="answer"
              reason={write}
              onClick={() => setReplying(true)}
            >
              {m.reply}
            </Button>
          )
        )}
      </div>
    </article>
  )
}

/** What somebody said, which the author can edit. */
function Said({ comment, dated }: { comment: Comment; dated?: boolean }) {
  const { session, members } = useBoot()
  const { editComment: mayEdit, removeComment: mayRemove } = useRights()
  const preview = usePreview()
  const [editing, setEditing] = useState(false)
  const { id, author, author_id, body, created_at, edited_at, source } = comment
  return (
    <>
      <div className="by">
        <Person name={author.name} me={author_id === session.user.id} named />
        {dated && (
          <span className="quiet mono">
            <Moment at={created_at} style="gutter" />
          </span>
        )}
        {edited_at && <span className="quiet">{m.edited}</span>}
        {m.sources[source] && <span className="quiet">{m.sources[source]}</span>}
        <span className="end">
          <MenuButton
            label={m.moreOf(author.name)}
            items={[
              {
                id: 'edit',
                label: m.edit,
                icon: 'edit',
                reason: mayEdit(author_id),
                run: () => setEditing(true),
              },
              {
                id: 'delete',
                label: m.remove,
                icon: 'trash',
                danger: true,
                reason: mayRemove(author_id),
                run: () => removeComment(comment),
              },
            ]}
          >
            <Icon name="dots" />
          </MenuButton>
        </span>
      </div>
      {editing ? (
        <MarkdownEditor
          label={m.comment}
          source={body}
          draftKey={`edit.${id}`}
          people={members}
          rows={4}
          autoFocus
          preview={preview}
          onSave={(text) => {
            if (text.trim() !== '' && text !== body) editComment(comment, text)
            setEditing(false)
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Prose source={body} className="prose said" />
      )}
    </>
  )
}

/** A comment that is on its way, alone in the thread. */
export const PendingEntry = ({ pending }: { pending: PendingComment }) => (
  <article className="line entry say">
    <span className="gut">
      <Moment at={pending.created_at} style="gutter" />
    </span>
    <div>
      <Pending pending={pending} />
    </div>
  </article>
)

function Pending({ pending: { key, body } }: { pending: PendingComment }) {
  const boot = useBoot()
  const found = useSignal(waiting).find((one) => one.key === key)
  const me = boot.session.user.id
  return (
    <>
      <div className="by">
        <Person name={nameOf(boot, me)} me named />
        {found?.state === 'unsaved' ? (
          <>
            <span className="bad" role="alert">
              {m.unsaved}
            </span>
            <Button onClick={() => retry(key)}>{m.retry}</Button>
            <Button kind="plain" onClick={() => discard(key)}>
              {m.discard}
            </Button>
          </>
        ) : (
          <span className="quiet">{m.sending}</span>
        )}
      </div>
      <Prose source={body} className="prose said" />
    </>
  )
}
