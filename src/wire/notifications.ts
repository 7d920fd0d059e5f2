/** What a person is told of by itself. */
export const NOTIFICATION_KINDS = ['mentioned', 'assigned', 'commented', 'due', 'webhook'] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** When a mail tells of it: within minutes, once a day, or never. */
export const MAIL_PACES = ['soon', 'daily', 'never'] as const
export type MailPace = (typeof MAIL_PACES)[number]

/** Where one kind is told: in the inbox, and by mail. */
export interface Ways {
  inbox: boolean
  mail: MailPace
}

/** What a person wants to be told, and at which hour of the day in its zone digests come. */
export interface NotificationWishes {
  kinds: Record<NotificationKind, Ways>
  digest_hour: number
}

/** What holds for whoever has not said otherwise. */
export const USUAL_WISHES: NotificationWishes = {
  kinds: {
    mentioned: { inbox: true, mail: 'soon' },
    assigned: { inbox: true, mail: 'soon' },
    commented: { inbox: true, mail: 'daily' },
    due: { inbox: true, mail: 'daily' },
    webhook: { inbox: true, mail: 'soon' },
  },
  digest_hour: 8,
}
