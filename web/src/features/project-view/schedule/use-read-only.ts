import { useSyncExternalStore } from 'react'

const narrowMedia = matchMedia('(width < 700px)')

/** Whether the view is read-only because the window is narrower than 700 px. */
export const useReadOnly = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrowMedia.addEventListener('change', listener)
      return () => narrowMedia.removeEventListener('change', listener)
    },
    () => narrowMedia.matches,
  )
