import { pausedUntil } from '../lib/pause.ts'
import { isPassing, Problem } from '../lib/problem.ts'
import { signal } from '../lib/signal.ts'
import { sessionEnded } from '../lib/signed-out.ts'
import { elsewhere } from './elsewhere.ts'
import { dropWrite, type KeptWrite, keepWrite } from './kept-writes.ts'

/** A write that was meant and shown already, on its way to the server. */
export interface Intent {
  /** Its Idempotency-Key: however often it is sent, it happens once. */
  key: string
  /** Writes of one lane follow one another: the id of a record. */
  lane: string
  /** What it does, in words, for who has to be told that it is not saved. */
  label: string
  send: () => Promise<void>
  /** What outlives the page: with it the write is sent even if the page is left before. */
  kept?: KeptWrite
  /** It was refused for good: what was shown is taken back. */
  refused: (error: unknown) => void
}

/** What a page has left behind: its key, and whether it is too long ago to be sent without asking. */
export interface Left {
  key: string
  old: boolean
}

/** A write in the queue, and how far it has come. */
export interface Waiting extends Intent {
  /** `held`: a choice of the person is waited for. */
  state: 'waiting' | 'sending' | 'held' | 'unsaved'
  tries: number
  error?: unknown
  /** Much may have happened since it was meant: it is never given up without being asked about. */
  late?: boolean
}

const AT_ONCE = 4
/** What was meant may not be allowed any more, or have nothing to be done to. */
const GONE = [403, 404]
const RETRY_MS = [500, 2_000, 8_000]

/** All writes that are not acknowledged yet, in the order in which they were meant. */
export const waiting = signal<readonly Waiting[]>([])

/** Sends a write after those of its lane, beside at most three others. */
export function enqueue(intent: Intent): void {
  if (intent.kept) keepWrite(intent.key, intent.kept)
  add({ ...intent, state: 'waiting', tries: 0, late: !navigator.onLine })
}

/** The same of one that another page has left behind; the person is asked first where it is `old`. */
export const resume = (intent: Intent, old: boolean): void =>
  add({ ...intent, state: old ? 'unsaved' : 'waiting', tries: 0, late: true })

function add(one: Waiting): void {
  waiting.set([...waiting.get(), one])
  pump()
}

/** Tries those again that could not be sent, e.g. when the server is back. */
export function retryAll(): void {
  for (const one of waiting.get()) if (one.state === 'unsaved') retry(one.key)
}

/** Sends a write again that could not be sent, as if for the first time. */
export function retry(key: string): void {
  update(key, { state: 'waiting', tries: 0 })
  pump()
}

/** Gives a write up: what was shown of it is taken back. */
export function discard(key: string): void {
  const found = waiting.get().find((one) => one.key === key)
  if (!found || found.state === 'sending') return
  remove(key)
  found.refused(found.error)
  pump()
}

/** While the person chooses, the write keeps its place in its lane and nobody else's. */
export async function held(key: string, choice: Promise<void>): Promise<void> {
  update(key, { state: 'held' })
  pump()
  await choice
  update(key, { state: 'sending' })
}

/** Takes a write back that was not sent yet; false where it may have been. */
export function cancel(key: string): boolean {
  const found = waiting.get().find((one) => one.key === key)
  if (found?.state !== 'waiting' || found.tries > 0) return false
  remove(key)
  return true
}

/** Signing out: what could not be sent until then is given up. */
export const forgetWaiting = (): void => waiting.set([])

/** Whether closing the page now would lose a write. */
export const unsent = (): boolean => waiting.get().length > 0

function pump(): void {
  // In another session a write would go to the wrong workspace, or out under somebody else's name.
  if (sessionEnded.get() || elsewhere.get() || !navigator.onLine) return
  if (pausedUntil.get() > 0) return
  const busy = new Set<string>()
  let sending = waiting.get().filter(({ state }) => state === 'sending').length
  for (const one of waiting.get()) {
    const first = !busy.has(one.lane)
    busy.add(one.lane)
    if (!first || one.state !== 'waiting' || sending >= AT_ONCE) continue
    sending += 1
    void attempt(one)
  }
}

async function attempt(intent: Waiting): Promise<void> {
  const { key, tries } = intent
  update(key, { state: 'sending' })
  try {
    await intent.send()
    remove(key)
  } catch (error) {
    if (error instanceof Problem && error.status === 401) {
      update(key, { state: 'waiting' })
      return
    }
    if (intent.late && error instanceof Problem && GONE.includes(error.status)) {
      update(key, { state: 'unsaved', error })
    } else if (!isPassing(error)) {
      remove(key)
      intent.refused(error)
    } else if (error instanceof Problem && error.code === 'rate_limit_exceeded') {
      update(key, { state: 'waiting' })
    } else if (error instanceof Problem && error.status === 429) {
      later(key, tries, (error.retryAfter ?? 1) * 1000 + Math.random() * 500)
    } else if (tries < RETRY_MS.length) {
      later(key, tries + 1, RETRY_MS[tries] ?? 0)
    } else update(key, { state: 'unsaved', late: true, error })
  }
  pump()
}

/** Keeps its place at the head of its lane meanwhile. */
function later(key: string, tries: number, ms: number): void {
  update(key, { state: 'sending', tries })
  setTimeout(() => {
    update(key, { state: 'waiting' })
    pump()
  }, ms)
}

function update(key: string, change: Partial<Waiting>): void {
  waiting.set(waiting.get().map((one) => (one.key === key ? { ...one, ...change } : one)))
}

function remove(key: string): void {
  dropWrite(key)
  waiting.set(waiting.get().filter((one) => one.key !== key))
}

addEventListener('online', () => {
  retryAll()
  pump()
})
sessionEnded.subscribe(pump)
elsewhere.subscribe(pump)
// Not everybody goes on in the same moment.
pausedUntil.subscribe(() => setTimeout(pump, Math.random() * 500))
addEventListener('beforeunload', (event) => {
  if (unsent()) event.preventDefault()
})
