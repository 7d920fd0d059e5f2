import { type Fault, fault } from '#wire/fault.ts'

/** Fields as sent, faulty ones too: only which of them are there is judged here. */
type Given = Readonly<Record<string, unknown>>

const has = (given: Given, name: string) =>
  Object.hasOwn(given, name) && given[name] !== null && given[name] !== undefined

/**
 * What a new entry may be made of (contract 6.4): `duration_seconds`; or `started_at` with it or
 * with `ended_at`; or, for a timer, `running: true`, `started_at`, or both.
 */
export function newCombination(given: Given): Fault[] {
  const [start, end, duration] = FIELDS.map((name) => has(given, name))
  const running = Object.hasOwn(given, 'running')
  const faults: Fault[] = []
  const conflict = (field: string, why: string) =>
    faults.push(fault(field, 'conflicting_fields', why))
  if (given.running === false) conflict('running', 'can only be true for a new entry')
  if (given.running === true && (end || duration)) {
    conflict('running', 'cannot stand beside ended_at or duration_seconds')
  }
  if (end && duration) conflict('duration_seconds', 'cannot stand beside ended_at')
  if (end && !start) conflict('ended_at', 'needs started_at beside it')
  if (!start && !end && !duration && !running) {
    const why = 'is required, or else started_at, or running: true'
    faults.push(fault('duration_seconds', 'required', why))
  }
  return faults
}

/** What cannot stand together in an update, whether or not the entry is running. */
export function changedCombination(given: Given): Fault[] {
  const [start, end, duration] = FIELDS.map((name) => has(given, name))
  const faults: Fault[] = []
  if (duration && (start || end)) {
    const why = 'cannot stand beside started_at or ended_at'
    faults.push(fault('duration_seconds', 'conflicting_fields', why))
  }
  if (end && given.running === true) {
    faults.push(fault('running', 'conflicting_fields', 'cannot be true beside ended_at'))
  }
  return faults
}

const FIELDS = ['started_at', 'ended_at', 'duration_seconds'] as const
