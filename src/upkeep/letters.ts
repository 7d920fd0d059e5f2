import { NOBODY } from '#core/actor.ts'
import type { Mail } from '#core/mail.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import {
  claimLetter,
  contentsOf,
  dueLetters,
  duePersons,
  gather,
  insertLetter,
  leaveLetter,
  reader,
  removeLetter,
} from '#storage/notification-letters.ts'
import { sealUnsubscribing } from '#storage/unsubscribing.ts'
import { letterText, MOST_TOLD } from './letter-text.ts'

const MINUTE_MS = 60 * 1000
/** What would go by another mail so soon goes with this one. */
const SOON_MS = 3 * MINUTE_MS
/** What is older is no news: it waited for a mail server that was not there. */
const NEWS_MS = 4 * 24 * 60 * MINUTE_MS
const AT_ONCE = 20
/**
 * After each attempt a letter waits so long for the next, and is given up after the last. The first is
 * longer than any attempt takes: meanwhile nobody else sends it.
 */
const PAUSES_MS = [10, 30, 120, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS)

/** What sending needs. */
interface Post {
  storage: Storage
  /** Undefined where no mail is set up: then what is due waits, and is forgotten with the rest. */
  mail: Pick<Mail, 'post'> | undefined
  baseUrl: string
  log: { warn(about: object, message: string): void }
}

interface Letter {
  workspace_id: string
  id: string
  user_id: string
  attempts: number
}

/**
 * Sends the mails about notifications. A letter is a row: gathered in one transaction, claimed by whoever
 * puts it off first, and gone when the mail server has taken it. A process that dies after the server
 * took it and before the row is gone leaves it to be sent once more, under the same Message-ID.
 */
export const sendLetters = (post: Post) => async (): Promise<boolean> => {
  if (!post.mail) return false
  const some = () => ({ now: timestampOf(post.storage.clock.now()), limit: AT_ONCE })
  const persons = await post.storage.read(NOBODY, (tx) => tx.all(duePersons, some()))
  for (const person of persons) await write(post.storage, person)
  const letters = await post.storage.read(NOBODY, (tx) => tx.all(dueLetters, some()))
  await Promise.all(letters.map((letter) => send(post, letter)))
  return persons.length === AT_ONCE || letters.length === AT_ONCE
}

/** Nothing comes of it where another process was earlier. */
async function write(
  storage: Storage,
  { workspace_id, user_id }: Pick<Letter, 'workspace_id' | 'user_id'>,
): Promise<void> {
  await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
    const id = newId('ltr', tx.instant)
    const until = timestampOf(tx.instant + SOON_MS)
    if ((await tx.run(gather, { user_id, letter_id: id, until })) === 0) return
    await tx.run(insertLetter, { id, user_id, next_at: tx.now, created_at: tx.now })
  })
}

async function send({ storage, mail, baseUrl, log }: Post, letter: Letter): Promise<void> {
  const { workspace_id, id, user_id, attempts } = letter
  const actor = { ...NOBODY, workspace_id }
  const pause = PAUSES_MS[attempts]
  const claimed = await storage.write(actor, async (tx) => {
    const next_at = timestampOf(tx.instant + (pause ?? 0))
    if ((await tx.run(claimLetter, { id, now: tx.now, next_at })) === 0) return undefined
    const to = await tx.one(reader, { user_id })
    const since = timestampOf(tx.instant - NEWS_MS)
    const told = await tx.all(contentsOf, { letter_id: id, since, limit: MOST_TOLD + 1 })
    return { to, told, token: sealUnsubscribing(tx, user_id) }
  })
  if (!claimed || !mail) return
  const { to, told, token } = claimed
  const end = () =>
    storage.write(actor, async (tx) => {
      await tx.run(removeLetter, { id })
      await tx.run(leaveLetter, { letter_id: id })
    })
  if (!to || told.length === 0 || pause === undefined) {
    if (pause === undefined) log.warn({ letter: id, attempts }, 'A mail is given up')
    await end()
    return
  }
  const unsubscribe = `${baseUrl}/unsubscribe/${workspace_id}.${token}`
  try {
    await mail.post({
      to: to.email,
      ...letterText(told, { ...to, baseUrl, workspace_id, unsubscribe }),
      id: `${id}@${new URL(baseUrl).hostname}`,
      unsubscribe,
    })
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    const isFinal = responseCode !== undefined && responseCode >= 500
    log.warn({ letter: id, code, responseCode, again: !isFinal }, 'A mail could not be sent')
    if (!isFinal) return
  }
  await end()
}
