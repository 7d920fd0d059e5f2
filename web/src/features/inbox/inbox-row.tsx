import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Notification } from '#resources/notifications/internal.ts'
import { useBoot, useMemberNames } from '../../data/session/boot.ts'
import { readMentions } from '../../lib/markdown/mentions.ts'
import { markdownToPlainText } from '../../lib/markdown/plain-text.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { IconButton } from '../../ui/form/button.tsx'
import { useProgressiveRow } from '../../ui/layout/use-progressive-row.ts'
import { FormattedInstant } from '../../ui/marks/formatted-instant.tsx'
import { OverlayButton } from '../../ui/overlays/overlay-button.tsx'
import { OpenTaskLink } from '../task-detail/index.ts'
import { markGroupDone, markGroupRead } from './mark-notifications.ts'
import { getRequestName, getSubjectName, type NotificationGroup } from './notification-groups.ts'
import { createSnoozeMenu, type LeaveRow } from './snooze-menu.ts'

interface InboxRowProps {
  group: NotificationGroup
  isDone: boolean
  leaveRow: LeaveRow
}

/** One task, webhook or request with its newest notification, and buttons to mark or snooze it. */
export const InboxRow = memo(function GroupRow({ group, isDone, leaveRow }: InboxRowProps) {
  const { newest, notifications, isUnread } = group
  const name = getSubjectName(newest)
  const nameOf = useMemberNames()
  const isFull = useProgressiveRow(true)
  const handleOpen = () => {
    if (isUnread) markGroupRead(group, true)
  }
  return (
    <div className="row" data-unread={isUnread || undefined}>
      <span className="gut">
        <FormattedInstant at={newest.created_at} style="gutter" />
      </span>
      <span className="what">
        <SubjectLink notification={newest} onOpen={handleOpen} />
        {isUnread && <span className="sr">{inboxMessages.unread(1)}</span>}
        <span className="snippet">
          <span className="quiet">{formatNotification(newest)}</span>{' '}
          {newest.comment && markdownToPlainText(readMentions(newest.comment.excerpt, nameOf))}
          {notifications.length > 1 && (
            <span className="quiet"> {inboxMessages.others(notifications.length - 1)}</span>
          )}
        </span>
      </span>
      {isFull && <NotificationActions {...{ group, isDone, leaveRow, name }} />}
    </div>
  )
})

function NotificationActions({ group, isDone, leaveRow, name }: InboxRowProps & { name: string }) {
  const { isUnread } = group
  return (
    <span className="acts">
      <IconButton
        icon={isDone ? 'refresh' : 'check'}
        data-swipe="right"
        label={isDone ? inboxMessages.reopen(name) : inboxMessages.done(name)}
        onClick={() => {
          leaveRow(group)
          markGroupDone(group, !isDone)
        }}
      />
      {!isDone && (
        <>
          <OverlayButton
            icon="day"
            data-swipe="left"
            label={inboxMessages.snooze(name)}
            overlayKind="menu"
            createOverlay={(anchor) =>
              createSnoozeMenu(anchor, inboxMessages.snooze(name), group, leaveRow)
            }
          />
          <IconButton
            icon="eye"
            label={isUnread ? inboxMessages.read(name) : inboxMessages.unreadOf(name)}
            onClick={() => markGroupRead(group, isUnread)}
          />
        </>
      )}
    </span>
  )
}

interface SubjectLinkProps {
  notification: Notification
  onOpen: () => void
}

/** Links to the request, to the webhook settings, or to the task and the comment in it. */
function SubjectLink({ notification, onOpen }: SubjectLinkProps) {
  const { task, comment, webhook, approval } = notification
  const { session } = useBoot('session')
  if (approval) {
    return (
      <Link
        to="/w/$workspaceId/approvals/$approvalId"
        params={{ workspaceId: session.workspace.id, approvalId: approval.id }}
        search={{}}
        className="title"
        onClick={onOpen}
      >
        {getRequestName(approval)}
      </Link>
    )
  }
  if (!task) {
    return (
      <Link
        to="/w/$workspaceId/settings/$section"
        params={{ workspaceId: session.workspace.id, section: 'webhooks' }}
        search={webhook ? { webhook: webhook.id } : {}}
        className="title"
        onClick={onOpen}
      >
        {webhook?.url}
      </Link>
    )
  }
  return (
    <OpenTaskLink
      className="title"
      shortId={task.short_id}
      onOpen={onOpen}
      {...(comment && { hash: comment.id })}
    >
      {task.short_id} {task.title}
    </OpenTaskLink>
  )
}

function formatNotification({ kind, detail, actor }: Notification): string {
  const who = actor?.name ?? inboxMessages.someone
  if (kind === 'due') return inboxMessages.kinds.due[detail === 'overdue' ? detail : 'today']
  if (kind === 'webhook')
    return inboxMessages.kinds.webhook[detail === 'failing' ? detail : 'disabled']
  if (kind === 'approval') return inboxMessages.kinds.approval
  return inboxMessages.kinds[kind](who)
}
