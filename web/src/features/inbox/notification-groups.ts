import type { Notification } from '#resources/notifications/internal.ts'
import { getSubjectId } from '../../data/resources/notification-marks.ts'

/** The notifications about one task or one webhook, newest first. */
export interface NotificationGroup {
  /** The id of the task or the webhook. */
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

/** The name of the task or webhook of a notification, in labels and messages. */
export const getSubjectName = ({ task, webhook }: Notification): string =>
  task?.short_id ?? webhook?.url ?? ''
