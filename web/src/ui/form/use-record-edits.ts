import { useState } from 'react'

/** The touched fields: as they were in the record then, and as the person wants them. */
interface RecordEdits<R> {
  from: Partial<R>
  to: Partial<R>
}

/**
 * The edits of a form over a record that others may change while it is open. A field that the
 * person has not touched shows the record as it is now, and is not part of the changes.
 */
export function useRecordEdits<R extends object>(record: R) {
  const [edits, setEdits] = useState<RecordEdits<R>>({ from: {}, to: {} })
  const touched = Object.keys(edits.to) as (keyof R)[]
  const changes = pickChangedFields({ ...record, ...edits.from }, edits.to)
  return {
    /** The fields as the form shows them. */
    values: { ...record, ...edits.to },
    /** The record as it was when each field was touched, to find what others have changed since. */
    base: { ...record, ...edits.from },
    changes,
    hasChanges: Object.keys(changes).length > 0,
    set<K extends keyof R>(name: K, value: R[K]): void {
      setEdits(({ from, to }) => ({
        from: name in from ? from : { ...from, [name]: record[name] },
        to: { ...to, [name]: value },
      }))
    },
    /** Makes the edits apply to a later version, because the person has seen how it differs. */
    rebase(onto: R): void {
      const from = Object.fromEntries(touched.map((name) => [name, onto[name]])) as Partial<R>
      setEdits(({ to }) => ({ from, to }))
    },
    /**
     * Drops the edits of this render once they are saved. Fields that the person has changed while
     * the request was under way stay edited.
     */
    reset: (saved: R) => setEdits((current) => keepLaterEdits(current, edits.to, saved)),
  }
}

/** The edits that were made after those of `sent`, which `saved` contains. */
export function keepLaterEdits<R extends object>(
  { from, to }: RecordEdits<R>,
  sent: Partial<R>,
  saved: R,
): RecordEdits<R> {
  const later = (Object.keys(to) as (keyof R)[]).filter((name) => to[name] !== sent[name])
  const pick = (read: (name: keyof R) => R[keyof R] | undefined) =>
    Object.fromEntries(later.map((name) => [name, read(name)])) as Partial<R>
  return {
    from: pick((name) => (name in sent ? saved[name] : from[name])),
    to: pick((name) => to[name]),
  }
}

/** Picks the values that differ from the record, so that saving a form reverts no other field. */
export function pickChangedFields<T extends object>(record: object, values: T): Partial<T> {
  const before: Readonly<Record<string, unknown>> = { ...record }
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
  )
  return Object.fromEntries(changed) as Partial<T>
}
