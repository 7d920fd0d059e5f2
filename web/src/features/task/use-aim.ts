import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** The comment that the address names: `…#cmt_…`. */
export const useAim = (): string =>
  useLocation({ select: ({ hash }) => (hash.startsWith('cmt_') ? hash : '') })

/** Brings it into view once, reading older entries until it is there. */
export function useAimed(loaded: boolean, loadOlder: (() => void) | undefined): void {
  const aim = useAim()
  const done = useRef('')
  useEffect(() => {
    if (aim === '' || done.current === aim || !loaded) return
    const found = document.getElementById(aim)
    if (found) {
      done.current = aim
      found.scrollIntoView({ block: 'center' })
    } else loadOlder?.()
  })
}
