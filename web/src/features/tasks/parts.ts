import { lazy, useEffect } from 'react'
import { Part } from './early.tsx'

export const addField = new Part(() => import('./add-field.tsx').then((it) => it.AddField))
export const filterField = new Part(() => import('./filter-field.tsx').then((it) => it.FilterField))

const parts = {
  bulk: () => import('./bulk-bar.tsx').then(({ BulkBar }) => ({ default: BulkBar })),
  none: () => import('./none-left.tsx').then(({ NoneLeft }) => ({ default: NoneLeft })),
}
export const BulkBar = lazy(parts.bulk)
export const NoneLeft = lazy(parts.none)

const SOON_MS = 300

/** What the first rows do not need is loaded once they are there, so that it opens without waiting. */
export function useParts(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const loads = [() => addField.load(), () => filterField.load(), parts.bulk, parts.none]
      // One that fails is tried again, and told of, when it is opened.
      for (const load of loads) void load().catch(() => undefined)
      void import('../../data/bulk.ts').catch(() => undefined)
    }, SOON_MS)
    return () => clearTimeout(timer)
  }, [])
}
