/** The events for which users receive notifications. */
export const NOTIFICATION_KINDS = [
  'mentioned',
  'assigned',
  'commented',
  'due',
  'webhook',
  'approval',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** When emails are sent: within minutes, once a day, or never. */
export const EMAIL_FREQUENCIES = ['soon', 'daily', 'never'] as const
type EmailFrequency = (typeof EMAIL_FREQUENCIES)[number]

/** The channels of one kind of notification. */
interface NotificationChannels {
  inbox: boolean
  mail: EmailFrequency
}

/** The hours between which nothing is pushed; `to` before `from` is on the next day. */
export interface QuietHours {
  from: number
  to: number
}

/** The notification settings of a user; hours are in the time zone of the user. */
export interface NotificationPreferences {
  kinds: Record<NotificationKind, NotificationChannels>
  digest_hour: number
  quiet_hours: QuietHours | null
}

/** The settings of users who have not changed them. */
export const DEFAULT_NOTIFICATION_PREFERENCES: NotificationPreferences = {
  kinds: {
    mentioned: { inbox: true, mail: 'soon' },
    assigned: { inbox: true, mail: 'soon' },
    commented: { inbox: true, mail: 'daily' },
    due: { inbox: true, mail: 'daily' },
    webhook: { inbox: true, mail: 'soon' },
    approval: { inbox: true, mail: 'soon' },
  },
  digest_hour: 8,
  quiet_hours: null,
}
