import type { Actor } from '#core/actor.ts'
import { timestampOf } from '#lib/clock.ts'
import type { Limit } from './window.ts'

const MINUTE = 60_000
/** So many credentials of a workspace have a count of their own in a minute. */
const MOST_CREDENTIALS = 50
/** So many of them are told apart, the busiest. */
const TOLD = 10
/** So many counts are kept until they are taken: a store that fails does not fill the memory. */
const MOST_KEPT = 50_000

/** What a credential asked in the minute that begins at `at`; with the id '' all others. */
export interface Count {
  at: string
  credential_id: string
  credential_type: string
  name: string
  used: number
  /** Answered 429. */
  refused: number
}

/** Counts requests by workspace, minute and credential until somebody takes the counts. */
export interface Usage {
  note(actor: Actor, isRefused: boolean): void
  /** What was counted since it was taken last, by workspace. */
  take(): Map<string, Count[]>
}

export function usageOf(clock = Date.now): Usage {
  let taken = new Map<string, Count[]>()
  let kept = 0
  let end = 0
  let at = ''
  let minute = new Map<string, Map<string, Count>>()

  function close() {
    for (const [workspace_id, counts] of minute) {
      if (kept >= MOST_KEPT) break
      const told = busiest([...counts.values()])
      kept += told.length
      taken.set(workspace_id, [...(taken.get(workspace_id) ?? []), ...told])
    }
    minute = new Map()
  }

  function countOf(actor: Actor): Count {
    let counts = minute.get(actor.workspace_id)
    if (!counts) {
      counts = new Map()
      minute.set(actor.workspace_id, counts)
    }
    const own = actor.credential_id ?? ''
    const id = counts.has(own) || counts.size < MOST_CREDENTIALS ? own : ''
    let count = counts.get(id)
    if (!count) {
      const name = id === '' ? '' : (actor.credential_name ?? actor.name)
      count = { at, credential_id: id, credential_type: actor.type, name, used: 0, refused: 0 }
      counts.set(id, count)
    }
    return count
  }

  return {
    note(actor, isRefused) {
      const now = clock()
      if (now >= end || now < end - MINUTE) {
        close()
        const begin = Math.floor(now / MINUTE) * MINUTE
        end = begin + MINUTE
        at = timestampOf(begin)
      }
      const count = countOf(actor)
      if (isRefused) count.refused += 1
      else count.used += 1
    },
    take() {
      close()
      const counts = taken
      taken = new Map()
      kept = 0
      return counts
    },
  }
}

/** The same limit, and what it admits and refuses is counted. */
export const counted =
  (limit: Limit, usage: Usage): Limit =>
  (actor) => {
    const admitted = <T>(headers: T): T => {
      usage.note(actor, false)
      return headers
    }
    const refused = (error: unknown): never => {
      usage.note(actor, true)
      throw error
    }
    try {
      const headers = limit(actor)
      return headers instanceof Promise ? headers.then(admitted, refused) : admitted(headers)
    } catch (error) {
      return refused(error)
    }
  }

/** The busiest, and all the others as one. */
function busiest(counts: Count[]): Count[] {
  const own = counts.filter(({ credential_id }) => credential_id !== '')
  if (own.length === counts.length && own.length <= TOLD) return own
  const told = own.toSorted((a, b) => asked(b) - asked(a)).slice(0, TOLD)
  const [first] = counts
  const others = { credential_id: '', credential_type: 'others', name: '', used: 0, refused: 0 }
  for (const count of counts) {
    if (told.includes(count)) continue
    others.used += count.used
    others.refused += count.refused
  }
  return [...told, { at: first?.at ?? '', ...others }]
}

const asked = ({ used, refused }: Count): number => used + refused
