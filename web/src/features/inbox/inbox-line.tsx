import { Link } from '@tanstack/react-router'
import type { Notification } from '#resources/notifications/internal.ts'
import { useBoot } from '../../data/boot.ts'
import { withNames } from '../../lib/mentions.ts'
import { plainOf } from '../../lib/plain.ts'
import { m } from '../../messages/inbox.ts'
import { IconButton } from '../../ui/button.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { Moment } from '../../ui/moment.tsx'
import { OpenTask } from '../my/task-line.tsx'
import type { Group } from './grouped.ts'
import { markDone, markRead } from './marking.ts'
import { snoozeItems } from './snooze-menu.ts'

/** One task, or one webhook, with what was told of it last, and what one does about it. */
export function InboxLine({ group, isDone }: { group: Group; isDone: boolean }) {
  const { newest, all, unread, about } = group
  const name = nameOf(newest)
  const { members } = useBoot()
  const read = () => {
    if (unread) void markRead(group, true)
  }
  return (
    <li className="row" data-about={about} data-unread={unread || undefined}>
      <span className="gut">
        <Moment at={newest.created_at} style="gutter" />
      </span>
      <span className="what">
        <Opens notification={newest} onOpen={read} />
        {unread && <span className="sr">{m.unread(1)}</span>}
        <span className="snippet">
          <span className="quiet">{wordsOf(newest)}</span>{' '}
          {newest.comment && plainOf(withNames(newest.comment.excerpt, members))}
          {all.length > 1 && <span className="quiet"> {m.others(all.length - 1)}</span>}
        </span>
      </span>
      <span className="acts">
        <IconButton
          icon={isDone ? 'refresh' : 'check'}
          label={isDone ? m.reopen(name) : m.done(name)}
          onClick={() => void markDone(group, !isDone)}
        />
        {!isDone && (
          <>
            <MenuButton icon="day" label={m.snooze(name)} items={snoozeItems(group)} />
            <IconButton
              icon="eye"
              label={unread ? m.read(name) : m.unreadOf(name)}
              onClick={() => void markRead(group, unread)}
            />
          </>
        )}
      </span>
    </li>
  )
}

interface Opening {
  notification: Notification
  onOpen: () => void
}

/** What is about a webhook leads to its log, everything else to its task, at the comment. */
function Opens({ notification: { task, comment, webhook }, onOpen }: Opening) {
  const { session } = useBoot()
  if (!task) {
    return (
      <Link
        to="/w/$workspaceId/settings/$section"
        params={{ workspaceId: session.workspace.id, section: 'webhooks' }}
        className="title"
        onClick={onOpen}
      >
        {webhook?.url}
      </Link>
    )
  }
  return (
    <OpenTask
      className="title"
      shortId={task.short_id}
      onOpen={onOpen}
      {...(comment && { hash: comment.id })}
    >
      {task.short_id} {task.title}
    </OpenTask>
  )
}

/** What it is about, for who cannot see the line. */
export const nameOf = ({ task, webhook }: Notification): string =>
  task?.short_id ?? webhook?.url ?? ''

function wordsOf({ kind, detail, actor }: Notification): string {
  const who = actor?.name ?? m.someone
  if (kind === 'due') return m.kinds.due[detail === 'overdue' ? detail : 'today']
  if (kind === 'webhook') return m.kinds.webhook[detail === 'failing' ? detail : 'disabled']
  return m.kinds[kind](who)
}
