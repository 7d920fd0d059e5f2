/** The former and the new value of each field that a write has changed. */
export type ChangedFields = Readonly<Record<string, { from: unknown; to: unknown }>>

/** What a write did to one record, and the revision that it has left. */
export interface RecordEffect {
  id: string
  verb: 'created' | 'deleted' | 'restored' | 'changed'
  fields?: ChangedFields
  revision?: string
}

/** A write that has changed something. */
export interface SimulatedOperation {
  id: string
  /** The idempotency key of its request. */
  key: string
  effects: readonly RecordEffect[]
  /** Whether another one has taken it back. */
  isUndone: boolean
  /** The operation that it takes back. */
  undoes?: SimulatedOperation
}

/** What an undo has left as it is. */
export interface LeftEffect {
  operation_id: string
  record_type: string
  record_id: string
  field: string | null
  code: string
  message: string
  changed_by_id: null
  changed_at: null
}

/** The records of the simulated server, as an undo sees them. */
export interface UndoableRecords {
  /** The record and its revision; undefined if it is gone. */
  find: (id: string) => { record: Readonly<Record<string, unknown>>; revision: string } | undefined
  delete: (id: string) => void
  /** Whether the record was deleted and is there again. */
  restore: (id: string) => boolean
  /** Gives fields their former values. */
  change: (id: string, fields: ChangedFields) => void
}

const TYPES: Readonly<Record<string, string>> = {
  tsk: 'task',
  cmt: 'comment',
  tme: 'time_entry',
  att: 'attachment',
}

/** The operations of the simulated server: what each write has changed, and its undo. */
export class SimulatedOperations {
  readonly all = new Map<string, SimulatedOperation>()
  #effects: RecordEffect[] = []

  /** Notes an effect of the write that runs. */
  note(effect: RecordEffect): void {
    this.#effects.push(effect)
  }

  /** Runs a write as an operation. Returns its id, or null if it has changed nothing. */
  run<T>(key: string, write: () => T, undoes?: SimulatedOperation): [T, string | null] {
    const outer = this.#effects
    this.#effects = []
    const result = write()
    const effects = this.#effects
    this.#effects = outer
    if (effects.length === 0) return [result, null]
    const id = `opr_${this.all.size + 1}`
    this.all.set(id, { id, key, effects, isUndone: false, ...(undoes && { undoes }) })
    return [result, id]
  }

  /** Takes operations back, the last first, each by one of its own, as far as nobody has changed it since. */
  undo(ids: readonly string[], key: string, records: UndoableRecords) {
    const operation_ids: string[] = []
    const undone: { record_type: string; record_id: string; fields: string[] }[] = []
    const left: LeftEffect[] = []
    for (const operation of [...this.all.values()].toReversed()) {
      if (!ids.includes(operation.id) || operation.isUndone) continue
      const takeBack = () => {
        for (const effect of inOrder(operation.effects)) {
          const { id } = effect
          const record_type = TYPES[id.split('_')[0] ?? ''] ?? ''
          const outcome = takeEffectBack(effect, records)
          if (outcome.fields) undone.push({ record_type, record_id: id, fields: outcome.fields })
          for (const { code, field } of outcome.left)
            left.push({
              operation_id: operation.id,
              record_type,
              record_id: id,
              field,
              code,
              message: code,
              changed_by_id: null,
              changed_at: null,
            })
        }
      }
      const [, undo_id] = this.run(key, takeBack, operation)
      if (undo_id === null) continue
      operation_ids.push(undo_id)
      operation.isUndone = true
      if (operation.undoes) operation.undoes.isUndone = false
    }
    return {
      operation_count: ids.length,
      operation_ids,
      undone_count: undone.length,
      left_count: left.length,
      undone,
      left,
      next_before_id: null,
    }
  }
}

const inOrder = (effects: readonly RecordEffect[]): readonly RecordEffect[] => [
  ...effects.filter(({ verb }) => verb === 'deleted'),
  ...effects.filter(({ verb }) => verb !== 'deleted').toReversed(),
]

interface UndoOutcome {
  /** The fields that are as before; empty if the record itself is; undefined if nothing was done. */
  fields?: string[]
  left: { code: string; field: string | null }[]
}

const leave = (code: string): UndoOutcome => ({ left: [{ code, field: null }] })

/** The times of an entry are one value. */
const SPAN = ['started_at', 'ended_at', 'duration_seconds']

function takeEffectBack(effect: RecordEffect, records: UndoableRecords): UndoOutcome {
  const { id, verb, revision, fields = {} } = effect
  if (verb === 'deleted') return records.restore(id) ? { fields: [], left: [] } : leave('gone')
  const found = records.find(id)
  if (!found) return leave('gone')
  if (verb !== 'changed') {
    if (found.revision !== revision) return leave('changed_since')
    records.delete(id)
    return { fields: [], left: [] }
  }
  const isKept = ([name, { to }]: (typeof entries)[number]) =>
    Array.isArray(to) || JSON.stringify(found.record[name]) === JSON.stringify(to)
  const entries = Object.entries(fields)
  const isSpanKept = entries.every((one) => !SPAN.includes(one[0]) || isKept(one))
  const kept = entries.filter((one) => isKept(one) && (isSpanKept || !SPAN.includes(one[0])))
  const names = kept.map(([name]) => name)
  if (names.length > 0) records.change(id, Object.fromEntries(kept))
  return {
    ...(names.length > 0 && { fields: names }),
    left: entries.flatMap(([field]) =>
      names.includes(field) ? [] : [{ code: 'changed_since', field }],
    ),
  }
}
