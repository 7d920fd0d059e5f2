import { lazy, useEffect } from 'react'
import { ahead } from '../../lib/ahead.ts'
import { Part } from './early.tsx'

const beyond = () => import('./beyond.ts')

export const addField = new Part(() => beyond().then((it) => it.AddField))
export const filterField = new Part(() => beyond().then((it) => it.FilterField))
export const BulkBar = lazy(() => beyond().then((it) => ({ default: it.BulkBar })))
export const SavedViews = lazy(() => beyond().then((it) => ({ default: it.SavedViews })))
export const NoneLeft = lazy(() => beyond().then((it) => ({ default: it.NoneLeft })))

/** What the first rows do not need is loaded once they are there, so that it opens without waiting. */
export function useParts(): void {
  useEffect(() => {
    ahead(
      () => addField.load(),
      () => filterField.load(),
    )
  }, [])
}
