import { useEffect, useState } from 'react'
import type { PickerOption, PickerOverlay } from '../overlays/overlay-stack.ts'

const SEARCH_DEBOUNCE_MS = 120

interface OptionSearchState {
  found: readonly PickerOption[]
  searching: boolean
  /** Why the search failed. */
  error?: unknown
}

/** Runs a debounced search for a typed text and ignores stale responses. */
export function useOptionSearch(search: PickerOverlay['search'], typed: string): OptionSearchState {
  const [state, setState] = useState<OptionSearchState>({
    found: [],
    searching: search !== undefined,
  })
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
      typed === '' ? 0 : SEARCH_DEBOUNCE_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [search, typed])
  return state
}
