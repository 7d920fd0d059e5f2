import { hash } from 'node:crypto'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { networkOf } from '#lib/network.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { AttemptsRow } from '#storage/tables.ts'

const MINUTE = 60_000
/** So long nobody may try, once the most was reached (contract 4.5). */
const BLOCKED_MS = 15 * MINUTE

/** Whom failed attempts are counted for, and how many there may be. */
export interface Subject {
  /** A hash: neither addresses nor names lie in the table. */
  name: string
  most: number
  withinMs: number
  /** A success forgets all failures, and not only takes back the attempt that was counted. */
  forgets: boolean
}

/** Of an e-mail address, whoever tries. */
export const ofEmail = (email: string): Subject => person(`email ${email}`)

/** Of a browser that was let in to an account before: strangers cannot use up its attempts. */
export const ofDevice = (device: string): Subject => person(`device ${device}`)

/** Of codes of a second factor: counted by themselves, for whoever tries them has the password. */
export const ofSecondFactor = (whose: string): Subject => person(`second factor ${whose}`)

/** Of the address of a client, whatever it tries. */
export const ofAddress = (address: string): Subject => {
  const name = hash('sha256', `address ${networkOf(address)}`)
  return { name, most: 100, withinMs: 60 * MINUTE, forgets: false }
}

/** Letters with a link to one mailbox, and letters that one client asks for. */
export const ofResets = (email: string): Subject => ({ ...person(`reset ${email}`), most: 5 })
export const ofResetsFrom = (address: string): Subject => ({
  ...person(`resets from ${networkOf(address)}`),
  most: 30,
})

/** Failed sign-ins of an account that the audit log tells. */
export const ofFailuresTold = (user_id: string): Subject => ({
  ...person(`told ${user_id}`),
  most: 3,
})

const person = (text: string): Subject => ({
  name: hash('sha256', text),
  most: 10,
  withinMs: 15 * MINUTE,
  forgets: true,
})

/**
 * Lets somebody try: 429 `too_many_attempts` for all of the subjects if one of them has failed too
 * often. The attempt counts as failed before `judge` begins, so that no number of them at once is a
 * way around; it is taken back when it was right, or came to no verdict.
 */
export async function attempt(
  storage: Storage,
  subjects: readonly Subject[],
  judge: () => Promise<boolean>,
): Promise<boolean> {
  // In one order, so that two who count for the same do not wait for each other.
  const all = subjects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  await storage.write(NOBODY, async (tx) => {
    for (const subject of all) await count(tx, subject)
  })
  const takeBack = (isRight: boolean) =>
    storage.write(NOBODY, async (tx) => {
      for (const subject of all) await forgive(tx, subject, isRight)
    })
  let isRight: boolean
  try {
    isRight = await judge()
  } catch (error) {
    await takeBack(false)
    throw error
  }
  if (isRight) await takeBack(true)
  return isRight
}

async function count(tx: WriteTx, subject: Subject): Promise<void> {
  const ms = await counted(tx, subject)
  if (ms > 0) throw tooMany(ms)
}

/** Counts one more, or gives the milliseconds for which there is room for none. */
export async function counted(tx: WriteTx, subject: Subject): Promise<number> {
  const { name, most, withinMs } = subject
  const now = tx.instant
  const kept = await held(tx, subject)
  const until = Date.parse(kept.blocked_until || '1970-01-01')
  if (until > now) return until - now
  const failed = [...kept.times.filter((at) => at > now - withinMs), now].slice(-most)
  const blocked_until = failed.length < most ? '' : timestampOf(now + BLOCKED_MS)
  await tx.run(keepAttempts, { subject: name, failed_at: JSON.stringify(failed), blocked_until })
  return 0
}

async function forgive(tx: WriteTx, subject: Subject, isRight: boolean): Promise<void> {
  const { times } = await held(tx, subject)
  const failed_at = JSON.stringify(isRight && subject.forgets ? [] : times.slice(0, -1))
  await tx.run(keepAttempts, { subject: subject.name, failed_at, blocked_until: '' })
}

/** What is kept of a subject, held until the end: on PostgreSQL other processes count too. */
async function held(tx: WriteTx, { name, withinMs }: Subject) {
  const kept_until = timestampOf(tx.instant + Math.max(withinMs, BLOCKED_MS))
  await tx.run(holdAttempts, { subject: name, kept_until, failed_at: '[]', blocked_until: '' })
  const { failed_at = '[]', blocked_until = '' } =
    (await tx.one(attemptsOf, { subject: name })) ?? {}
  return { blocked_until, times: JSON.parse(failed_at) as number[] }
}

function tooMany(ms: number): Refusal {
  const wait = String(Math.ceil(ms / 1000))
  const message = `Too many attempts have failed. Try again in ${wait} seconds.`
  return new Refusal(429, 'too_many_attempts', message, { headers: { 'retry-after': wait } })
}

const attemptsOf = queryOfAll((db, $: { subject: string }) =>
  db.selectFrom('attempts').select(['failed_at', 'blocked_until']).where('subject', '=', $.subject),
)

const holdAttempts = commandOfAll((db, $: AttemptsRow) =>
  db
    .insertInto('attempts')
    .values(row($, 'subject', 'failed_at', 'blocked_until', 'kept_until'))
    .onConflict((conflict) => conflict.column('subject').doUpdateSet(row($, 'kept_until'))),
)

const keepAttempts = commandOfAll((db, $: Omit<AttemptsRow, 'kept_until'>) =>
  db
    .updateTable('attempts')
    .set(row($, 'failed_at', 'blocked_until'))
    .where('subject', '=', $.subject),
)
