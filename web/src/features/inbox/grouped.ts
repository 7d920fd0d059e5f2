import type { Notification } from '#resources/notifications/internal.ts'

/** All that is told of one task, or of one webhook: the newest first. */
export interface Group {
  /** The id of what it is about. */
  about: string
  newest: Notification
  all: readonly Notification[]
  unread: boolean
}

/** Notifications by what they are about, in the order of the newest of each. */
export function grouped(all: readonly Notification[]): Group[] {
  const groups = Map.groupBy(all, ({ id, task, webhook }) => task?.id ?? webhook?.id ?? id)
  return [...groups].flatMap(([about, those]) => {
    const [newest] = those
    const unread = those.some(({ read_at }) => read_at === null)
    return newest ? [{ about, newest, all: those, unread }] : []
  })
}
