import { useState } from 'react'

/**
 * The edits of a form over a record that others may change while it is open. A field that the
 * person has not touched shows the record as it is now, and is not part of the changes.
 */
export function useRecordEdits<R extends object>(record: R) {
  const [edits, setEdits] = useState<{ from: Partial<R>; to: Partial<R> }>({ from: {}, to: {} })
  const touched = Object.keys(edits.to) as (keyof R)[]
  return {
    /** The fields as the form shows them. */
    values: { ...record, ...edits.to },
    /** The record as it was when each field was touched, to find what others have changed since. */
    base: { ...record, ...edits.from },
    changes: pickChangedFields({ ...record, ...edits.from }, edits.to),
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
    /** Drops the edits once they are saved. */
    reset: () => setEdits({ from: {}, to: {} }),
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
