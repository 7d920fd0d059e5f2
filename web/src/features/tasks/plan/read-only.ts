import { useSyncExternalStore } from 'react'

const NARROW = matchMedia('(width < 700px)')

/** Under 700 px days are read and not moved. */
export const useReadOnly = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      NARROW.addEventListener('change', listener)
      return () => NARROW.removeEventListener('change', listener)
    },
    () => NARROW.matches,
  )
