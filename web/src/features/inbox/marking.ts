import type { markNotifications } from '#resources/notifications/internal.ts'
import { changeBoot } from '../../data/boot.ts'
import { noteOwn } from '../../data/own.ts'
import { queries } from '../../data/refetch.ts'
import { toast } from '../../data/toasts.ts'
import { answered, type Sent } from '../../lib/call.ts'
import { m } from '../../messages/inbox.ts'
import { tell } from '../settings/tell.ts'
import type { Group } from './grouped.ts'

type Marks = Sent<typeof markNotifications>['body']

/** Everything of the inbox is read again when this is stale. */
export const INBOX = 'notifications'

/** Marks notifications and reads the inbox again; gives their ids, or undefined where that failed. */
async function mark(body: Marks): Promise<string[] | undefined> {
  try {
    const marked = await answered<typeof markNotifications>('PATCH /internal/notifications', {
      body,
    })
    noteOwn(marked.operation_id)
    changeBoot((now) => ({ ...now, inbox: { unread: marked.body.unread } }))
    await queries.invalidateQueries({ queryKey: [INBOX] })
    return marked.body.ids
  } catch (error) {
    tell(error)
    return undefined
  }
}

const idsOf = ({ all }: Group) => all.map(({ id }) => id)

/** What is needed to take it back: what was read stays read. */
const back = (groups: readonly Group[]) => () => {
  const unread = groups.flatMap(({ all }) => all.filter(({ read_at }) => read_at === null))
  const read = groups.flatMap(({ all }) => all.filter(({ read_at }) => read_at !== null))
  const open = { done: false, snoozed_until: null }
  const ids = (those: typeof read) => those.map(({ id }) => id)
  if (read.length > 0) void mark({ ids: ids(read), ...open, read: true })
  if (unread.length > 0) void mark({ ids: ids(unread), ...open, read: false })
}

/** It needs nobody any more; or, of what is done, it does again. */
export async function markDone(group: Group, done: boolean): Promise<void> {
  const ids = await mark({ ids: idsOf(group), done })
  if (!ids) return
  if (done) toast({ text: m.toldDone(ids.length), undo: back([group]) })
  else toast({ text: m.toldBack(ids.length) })
}

/** All that is open: what the page has not loaded, too. */
export async function markAllDone(groups: readonly Group[]): Promise<void> {
  const ids = await mark({ done: true })
  if (!ids || ids.length === 0) return
  const known = new Set(groups.flatMap(idsOf))
  const others = ids.filter((id) => !known.has(id))
  const undo = () => {
    back(groups)()
    if (others.length > 0) void mark({ ids: others, done: false })
  }
  toast({ text: m.toldDone(ids.length), undo })
}

/** Read, or unread: all that is told of the same. */
export const markRead = (group: Group, read: boolean) => mark({ ids: idsOf(group), read })

/** It comes back then. `words` say when. */
export async function snooze(group: Group, until: string, words: string): Promise<void> {
  const ids = await mark({ ids: idsOf(group), snoozed_until: until })
  if (ids) toast({ text: m.toldLater(words), undo: back([group]) })
}
