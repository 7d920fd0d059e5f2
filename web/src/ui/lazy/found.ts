import { useEffect, useState } from 'react'
import type { Option, PickFloat } from '../floats.ts'

const PAUSE_MS = 120

interface Found {
  found: readonly Option[]
  searching: boolean
  /** Why nothing could be found out. */
  error?: unknown
}

/** What a search finds for a typed text, shortly after the last key; a stale answer never shows. */
export function useFound(search: PickFloat['search'], typed: string): Found {
  const [state, setState] = useState<Found>({ found: [], searching: search !== undefined })
  useEffect(() => {
    if (!search) return
    const controller = new AbortController()
    setState(({ found }) => ({ found, searching: true }))
    const timer = setTimeout(
      async () => {
        try {
          const found = await search(typed.trim(), controller.signal)
          if (!controller.signal.aborted) setState({ found, searching: false })
        } catch (error) {
          if (!controller.signal.aborted) setState({ found: [], searching: false, error })
        }
      },
      typed === '' ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [search, typed])
  return state
}
