import type { Notification } from '#resources/notifications/internal.ts'
import { getSubjectId } from '../../data/resources/notification-marks.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'

/** The notifications about one task, webhook or request, newest first. */
export interface NotificationGroup {
  /** The id of the task or the webhook, or of the notification of a request. */
  subjectId: string
  newest: Notification
  notifications: readonly Notification[]
  isUnread: boolean
}

/** Groups notifications by task or webhook. The group with the newest notification comes first. */
export function groupNotifications(newestFirst: readonly Notification[]): NotificationGroup[] {
  const groups = Map.groupBy(newestFirst, getSubjectId)
  return [...groups].flatMap(([subjectId, notifications]) => {
    const [newest] = notifications
    const isUnread = notifications.some(({ read_at }) => read_at === null)
    return newest ? [{ subjectId, newest, notifications, isUnread }] : []
  })
}

/** The name of the task, webhook or request of a notification, in labels and messages. */
export const getSubjectName = ({ task, webhook, approval }: Notification): string =>
  task?.short_id ?? webhook?.url ?? (approval ? getRequestName(approval) : '')

/** The name of a request that waits for the person. */
export const getRequestName = ({
  credential_name,
  record_count,
}: NonNullable<Notification['approval']>): string =>
  inboxMessages.request(credential_name ?? inboxMessages.program, record_count)
