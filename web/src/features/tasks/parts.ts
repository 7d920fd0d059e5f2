import { lazy, useEffect } from 'react'
import { ahead } from '../../lib/ahead.ts'
import { Part } from './early.tsx'

export const addField = new Part(() => import('./add-field.tsx').then((it) => it.AddField))
export const filterField = new Part(() => import('./filter-field.tsx').then((it) => it.FilterField))

const parts = {
  bulk: () => import('./bulk-bar.tsx').then(({ BulkBar }) => ({ default: BulkBar })),
  saved: () => import('./saved/saved-views.tsx').then((it) => ({ default: it.SavedViews })),
  none: () => import('./none-left.tsx').then(({ NoneLeft }) => ({ default: NoneLeft })),
}
export const BulkBar = lazy(parts.bulk)
export const SavedViews = lazy(parts.saved)
export const NoneLeft = lazy(parts.none)

/** What the first rows do not need is loaded once they are there, so that it opens without waiting. */
export function useParts(): void {
  useEffect(() => {
    const loads = [() => addField.load(), () => filterField.load(), parts.bulk, parts.none]
    ahead(...loads, () => import('../../data/bulk.ts'))
  }, [])
}
